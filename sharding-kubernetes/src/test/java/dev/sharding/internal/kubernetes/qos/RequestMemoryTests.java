package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.core.qos.ActualCost;
import dev.sharding.internal.core.qos.RequestShape;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.qos.spi.RequestTarget;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.kubernetes.qos.QosWorld.LIST;
import static dev.sharding.internal.kubernetes.qos.QosWorld.assertRefused;
import static dev.sharding.internal.kubernetes.qos.QosWorld.enter;
import static dev.sharding.internal.kubernetes.qos.QosWorld.rule;
import static org.assertj.core.api.Assertions.assertThat;

class RequestMemoryTests {

	private static final ActualCost COST = new ActualCost(1, 1, 1, false);

	private final QosWorld world = new QosWorld();

	@Test
	void holdsTheShapesThatWereLearntLast() {
		RequestMemory memory = new RequestMemory(2);
		learn(memory, 0, 0);
		learn(memory, 1, 0);
		learn(memory, 0, 0);
		learn(memory, 2, 0);
		assertThat(memory.size()).isEqualTo(2);
		assertThat(memory.recall(shape(1), 0)).isNull();
		assertThat(memory.recall(shape(0), 0)).isNotNull();
	}

	@Test
	void forgetsWhatHasFaded() {
		RequestMemory memory = new RequestMemory(100);
		for (int i = 0; i < 50; i++) {
			learn(memory, i, 0);
		}
		long later = Duration.ofMinutes(61).toNanos();
		assertThat(memory.recall(shape(0), later)).isNull();
		learn(memory, 50, later);
		assertThat(memory.size()).isEqualTo(1);
	}

	@Test
	void cheapRequestsDoNotDriveOutADearOne() {
		Qos qos = this.world.qos(rule(new Condition(Measure.LATENCY, 100)));
		Passage dear = enter(qos, LIST);
		this.world.nanos += Duration.ofSeconds(1).toNanos();
		dear.ended(null);
		for (int i = 0; i < 2 * QosOptions.DEFAULTS.remembered(); i++) {
			enter(qos, LIST.query("labelSelector", "a=" + i)).ended(null);
		}
		assertThat(qos.memory().size()).isEqualTo(1);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
	}

	/**
	 * One rule is about slow requests, one of a lower priority about all, whatever they
	 * cost.
	 */
	@Test
	void requestsThatAreLimitedWhateverTheyCostDriveOutNone() {
		QosRule all = new QosRule("all", true, 1, List.of(), List.of(), Set.of(), List.of(), "wide", Cost.REQUESTS,
				Accounting.RULE, false, "", Duration.ZERO);
		QosRule slow = new QosRule("slow", true, 2, List.of(), List.of(), Set.of(),
				List.of(new Condition(Measure.LATENCY, 100)), "narrow", Cost.REQUESTS, Accounting.RULE, false, "",
				Duration.ZERO);
		Qos qos = this.world.qos(QosRules.define(
				Map.of("wide", new QosClass.TokenBucket(100_000, 100_000), "narrow", new QosClass.TokenBucket(1, 1)),
				List.of(all, slow)));
		Passage dear = enter(qos, LIST);
		this.world.nanos += Duration.ofSeconds(1).toNanos();
		dear.ended(null);
		for (int i = 0; i < 2 * QosOptions.DEFAULTS.remembered(); i++) {
			enter(qos, LIST.query("labelSelector", "a=" + i)).ended(null);
		}
		assertThat(qos.memory().size()).isEqualTo(1);
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertRefused(qos, LIST);
	}

	@Test
	void aShapeThatBecameCheapIsLearntOn() {
		Qos qos = this.world.qos(rule(new Condition(Measure.LATENCY, 100)));
		Passage dear = enter(qos, LIST);
		this.world.nanos += Duration.ofSeconds(1).toNanos();
		dear.ended(null);
		for (int i = 0; i < 20; i++) {
			this.world.nanos += Duration.ofSeconds(1).toNanos();
			enter(qos, LIST).ended(null);
		}
		assertThat(enter(qos, LIST).admitted()).isCompleted();
		assertThat(enter(qos, LIST).admitted()).isCompleted();
	}

	private static void learn(RequestMemory memory, int number, long now) {
		memory.learn(shape(number), COST, now, (first) -> true);
	}

	private static RequestShape shape(int number) {
		RequestTarget target = RequestTarget.parse("/api/v1/namespaces/n-" + number + "/pods");
		assertThat(target).isNotNull();
		return RequestShape.of(Operation.LIST, target, Map.of());
	}

}
