package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class GroupTests {

	private static final int MANY = 1_000;

	private long nanos = Long.MAX_VALUE - 1_000;

	private final RateLimiterRegistry rateLimiters = RateLimiterRegistry.ofDefaults();

	private final BulkheadRegistry bulkheads = BulkheadRegistry.ofDefaults();

	static List<QosClass> classes() {
		return List.of(new QosClass.TokenBucket(1, 1), new QosClass.LeakyBucket(1, 10),
				new QosClass.RunningWindow(1, Duration.ofSeconds(1)), new QosClass.MaxInFlight(1));
	}

	@ParameterizedTest
	@MethodSource("classes")
	void idleGroupsMakeRoomForOthers(QosClass qosClass) {
		RunningRules rules = rules(qosClass, Duration.ZERO);
		for (int i = 0; i < 5 * MANY; i++) {
			Limiter.Turn turn = ask(rules, "group-" + i);
			assertThat(turn.ready()).isCompletedWithValue(null);
			turn.leave();
			this.nanos += 10_000_000;
		}
		assertThat(rules.size()).isLessThanOrEqualTo(MANY);
		assertThat(this.rateLimiters.getAllRateLimiters().size() + this.bulkheads.getAllBulkheads().size())
			.isLessThanOrEqualTo(MANY);
		// Also when there is room: an hour later it is empty but for this one.
		this.nanos += Duration.ofHours(1).toNanos();
		ask(rules, "late");
		assertThat(rules.size()).isEqualTo(1);
	}

	@ParameterizedTest
	@MethodSource("classes")
	void groupThatHasFlightsWaitersOrAPauseStays(QosClass qosClass) {
		RunningRules rules = rules(qosClass, Duration.ofHours(5));
		Limiter.Turn flying = ask(rules, "flying");
		Limiter.Turn used = ask(rules, "used");
		Limiter.Turn waiting = ask(rules, "used");
		assertThat(waiting.ready()).isNotDone();
		Group held = group(rules, "held");
		leave(held.ask(1));
		held.holdFor(Duration.ofHours(3).toNanos());
		this.nanos += Duration.ofHours(1).toNanos();
		ask(rules, "other").leave();
		assertThat(List.of(group(rules, "flying").closeIfIdle(), group(rules, "used").closeIfIdle(),
				group(rules, "held").closeIfIdle()))
			.containsExactly(false, false, false);
		flying.leave();
		flying.leave();
		used.leave();
		waiting.leave();
		this.nanos += Duration.ofHours(3).toNanos();
		assertThat(group(rules, "flying").closeIfIdle()).isTrue();
		assertThat(group(rules, "held").closeIfIdle()).isTrue();
	}

	@Test
	void turnThatWasAskedOfTheOneBeforeIsTakenOfTheOneInForce() {
		RunningRules before = rules(new QosClass.TokenBucket(0.001, 2), Duration.ZERO);
		Group old = group(before, "a");
		leave(old.ask(1));
		RunningRules after = before.next(defined(new QosClass.TokenBucket(0.002, 2), Duration.ZERO), Map.of("", 1));
		// In the old one this would be a unit that nobody counts.
		assertThat(old.ask(1)).isNull();
		assertThat(before.group(before.rules().rules().get(0), "new")).isNull();
		assertThat(ask(after, "a").ready()).isCompletedWithValue(null);
		assertThat(ask(after, "a").ready()).isCompletedExceptionally();
	}

	@Test
	void pauseThatARequestOfTheOneBeforeBringsIsNotForgotten() {
		RunningRules before = rules(new QosClass.TokenBucket(1_000, 2), Duration.ZERO);
		Group old = group(before, "a");
		List<Limiter.Turn> flying = new ArrayList<>(List.of(ask(before, "a")));
		RunningRules after = before.next(defined(new QosClass.TokenBucket(2_000, 2), Duration.ZERO), Map.of("", 1));
		this.nanos += Duration.ofHours(1).toNanos();
		ask(after, "other").leave();
		old.holdFor(Duration.ofSeconds(3).toNanos());
		flying.get(0).leave();
		assertThat(ask(after, "a").ready()).isCompletedExceptionally();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a" })
	void changesDoNotPileUpGroupsThatNobodyUses(String name) {
		RunningRules rules = rules(new QosClass.MaxInFlight(1), Duration.ZERO);
		Limiter.Turn flying = ask(rules, name);
		for (int i = 0; i < 50; i++) {
			rules = rules.next(defined(new QosClass.MaxInFlight(2 + i), Duration.ZERO), Map.of("", 1));
			ask(rules, name).leave();
		}
		// That of the one that flies; what it brings is not forgotten.
		assertThat(group(rules, name).predecessors()).isEqualTo(1);
		assertThat(group(rules, name).closeIfIdle()).isFalse();
		flying.leave();
		rules = rules.next(defined(new QosClass.MaxInFlight(1), Duration.ZERO), Map.of("", 1));
		assertThat(group(rules, name).predecessors()).isZero();
		assertThat(group(rules, name).closeIfIdle()).isTrue();
	}

	private static void leave(Limiter.@Nullable Turn turn) {
		assertThat(turn).isNotNull();
		turn.leave();
	}

	private static Limiter.Turn ask(RunningRules rules, String name) {
		Limiter.Turn turn = group(rules, name).ask(1);
		assertThat(turn).isNotNull();
		return turn;
	}

	private static Group group(RunningRules rules, String name) {
		Group group = rules.group(rules.rules().rules().get(0), name);
		assertThat(group).isNotNull();
		return group;
	}

	private RunningRules rules(QosClass qosClass, Duration longestWait) {
		return new RunningRules(defined(qosClass, longestWait), Map.of("", 1),
				QosPieces.standard(this.rateLimiters, this.bulkheads, () -> this.nanos), () -> this.nanos);
	}

	private static QosRules defined(QosClass qosClass, Duration longestWait) {
		return QosRules.define(Map.of("class", qosClass), List.of(new QosRule("rule", true, 1, List.of(), List.of(),
				Set.of(), List.of(), "class", Cost.REQUESTS, Accounting.SUBJECT, false, "", longestWait)));
	}

}
