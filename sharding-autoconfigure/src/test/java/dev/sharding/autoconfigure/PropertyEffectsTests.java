package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;

import dev.sharding.controller.Backoff;
import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.autoconfigure.settings.SharderProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.Readiness;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That a property gets to where it has an effect, and that it is what makes the
 * difference.
 */
class PropertyEffectsTests {

	private final ApplicationContextRunner runner = Apps.shard().withPropertyValues("sharding.sharder.enabled=true");

	@ParameterizedTest(name = "{0}={1}")
	@MethodSource("effects")
	void aPropertyHasAnEffect(String property, String value, Function<ApplicationContext, Object> effect,
			Object expected) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(effect.apply(context)).isNotEqualTo(expected);
		});
		this.runner.withPropertyValues(property + "=" + value).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(effect.apply(context)).isEqualTo(expected);
		});
	}

	static Stream<Arguments> effects() {
		return Stream.of(
				effect("sharding.reconcile.min-backoff", "7ms", backoff(Backoff::initial), Duration.ofMillis(7)),
				effect("sharding.reconcile.max-backoff", "7m", backoff(Backoff::max), Duration.ofMinutes(7)),
				effect("sharding.informer.failure-timeout", "7m", options(RuntimeOptions::giveUpAfter),
						Duration.ofMinutes(7)),
				effect("sharding.informer.keep-managed-fields", "true", options(RuntimeOptions::keepManagedFields),
						true),
				effect("sharding.readiness", "follow", PropertyEffectsTests::readiness, Readiness.FOLLOW),
				effect("sharding.sharder.excluded-namespaces", "a,b", sharder(SharderOptions::excludedNamespaces),
						Set.of("a", "b")),
				effect("sharding.sharder.concurrent-moves", "7", sharder(SharderOptions::concurrentMoves), 7),
				effect("sharding.sharder.sync-period", "7m", sharder(SharderOptions::syncPeriod),
						Duration.ofMinutes(7)),
				effect("sharding.lease.max-duration", "7m",
						(context) -> Objects.requireNonNull(context.getBean(ShardSettings.class).lease()).longest(),
						Duration.ofMinutes(7)),
				effect("sharding.sharder.max-lease-duration", "7m",
						sharder((options) -> options.leaseTrust().longest()), Duration.ofMinutes(7)),
				effect("sharding.sharder.lease-namespaces", "a,b",
						sharder((options) -> options.leaseTrust().namespaces()), Set.of("a", "b")),
				effect("sharding.sharder.settle", "7s", sharder(SharderOptions::settle), Duration.ofSeconds(7)),
				effect("sharding.sharder.drain-report-after", "7s",
						sharder((options) -> options.drainPatience().reportAfter()), Duration.ofSeconds(7)),
				effect("sharding.sharder.drains-per-second", "0.5",
						sharder((options) -> options.drainBudget().perSecond()), 0.5),
				effect("sharding.sharder.drain-timeout", "7m",
						sharder((options) -> options.drainPatience().forceAfter()), Duration.ofMinutes(7)));
	}

	/* Only where the JVM has them. */
	@ParameterizedTest
	@MethodSource("switches")
	void workersAreVirtualThreadsIfSoConfigured(boolean wanted) {
		this.runner.withPropertyValues("spring.threads.virtual.enabled=" + wanted).run((context) -> {
			assertThat(context).hasNotFailed();
			Thread worker = context.getBean(RuntimeOptions.class).threads().newThread(() -> {
			});
			assertThat(worker.getClass().getSimpleName().equals("VirtualThread"))
				.isEqualTo(wanted && Runtime.version().feature() >= 21)
				.isEqualTo(Threading.VIRTUAL.isActive(context.getBean(Environment.class)));
		});
	}

	static Stream<Boolean> switches() {
		return Stream.of(true, false);
	}

	private static Arguments effect(String property, String value, Function<ApplicationContext, Object> effect,
			Object expected) {
		return Arguments.of(property, value, effect, expected);
	}

	private static Function<ApplicationContext, Object> options(Function<RuntimeOptions, Object> option) {
		return (context) -> option.apply(context.getBean(RuntimeOptions.class));
	}

	private static Function<ApplicationContext, Object> backoff(Function<Backoff, Object> time) {
		return (context) -> time.apply(context.getBean(Shard.class).controllers().get(0).spec().backoff());
	}

	private static Function<ApplicationContext, Object> sharder(Function<SharderOptions, Object> option) {
		return (context) -> option.apply(context.getBean(SharderProperties.class).toOptions());
	}

	private static Object readiness(ApplicationContext context) {
		return assertThat(context.getBean("shardingHealthIndicator", ReadinessHealthIndicator.class))
			.extracting("readiness")
			.actual();
	}

}
