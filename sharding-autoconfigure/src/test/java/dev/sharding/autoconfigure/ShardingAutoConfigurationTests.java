package dev.sharding.autoconfigure;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import dev.sharding.event.ShardPhaseEvent;
import dev.sharding.internal.autoconfigure.runtime.PartLifecycle;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which shard an application is, and that it joins and leaves.
 */
class ShardingAutoConfigurationTests {

	private final ApplicationContextRunner runner = Apps.application();

	private final ApplicationContextRunner shard = Apps.shard();

	@Test
	void isNoShardWithoutControllerAndRing() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Shard.class));
	}

	@Test
	void joinsTheRingOfTheProperties() {
		this.shard.withPropertyValues("sharding.lease.duration=3s", "sharding.lease.retry-period=500ms")
			.run((context) -> {
				Shard joined = context.getBean(Shard.class);
				assertThat(joined.ring()).isEqualTo("ring");
				assertThat(joined.name()).isEqualTo("shard-1");
				assertThat(joined.phase()).isEqualTo(RuntimePhase.SYNCING);
				assertThat(joined.lease().config().path()).isEqualTo("default/shard-1");
				assertThat(joined.lease().config().timings().renewDeadline()).isEqualTo(Duration.ofSeconds(2));
				assertThat(joined.lease().config().timings().retryPeriod()).isEqualTo(Duration.ofMillis(500));
				assertThat(joined.controllers()).singleElement().satisfies((controller) -> {
					assertThat(controller.spec().name()).isEqualTo("secretController");
					assertThat(controller.spec().watches()).singleElement()
						.satisfies((watch) -> assertThat(watch.type()).isEqualTo(ResourceType.of(ConfigMap.class)));
				});
			});
	}

	@Test
	void doesNotJoinWithoutController() {
		this.runner.withPropertyValues("sharding.ring=ring", "sharding.lease.namespace=default").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.STOPPED);
		});
	}

	@Test
	void aControllerWithAScopeIsOneController() {
		this.runner.withUserConfiguration(ScopedController.class)
			.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default")
			.run((context) -> assertThat(context.getBean(Shard.class).controllers()).singleElement()
				.satisfies((controller) -> assertThat(controller.spec().name()).isEqualTo("scopedController")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "off", "no", "0" })
	void isNoShardWhereThatIsSwitchedOff(String value) {
		this.shard.withPropertyValues("sharding.enabled=" + value, "spring.application.name=app")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(Shard.class)
				.hasSingleBean(LeaderElectedControllers.class));
	}

	@Test
	void startsNothingWhereATestWantsTheBeansAlone() {
		this.shard
			.withPropertyValues("sharding.auto-startup=false", "sharding.lease.namespace=",
					"sharding.on-startup-problem=fail", "sharding.sharder.enabled=true",
					"sharding.rings.elsewhere.shard-name=a")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBeansOfType(PartLifecycle.class).values()).hasSize(3)
					.noneMatch(PartLifecycle::isRunning);
				assertThat(context.getBean(Shard.class).phase()).isEqualTo(RuntimePhase.STOPPED);
			});
	}

	@Test
	void leavesTheRingWhenTheContextCloses() {
		List<Shard> left = new ArrayList<>();
		this.shard.run((context) -> left.add(context.getBean(Shard.class)));
		assertThat(left).singleElement()
			.satisfies((shard) -> assertThat(shard.phase()).isEqualTo(RuntimePhase.STOPPED));
	}

	@Test
	void publishesPhasesAsEvents() {
		this.shard.withUserConfiguration(Events.class).run((context) -> {
			Events events = context.getBean(Events.class);
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.untilAsserted(() -> assertThat(events.seen)
					.contains(new ShardPhaseEvent("ring", "shard-1", RuntimePhase.SYNCING, "")));
		});
	}

	@Test
	void theSafeguardsOfTheHandOverAreOn() {
		this.shard.run((context) -> {
			assertThat(context.getBean(RuntimeOptions.class).handOver()).isEqualTo(HandOverOptions.DEFAULTS);
			assertThat(context.getBean(RuntimeOptions.class).clock()).isSameAs(LeaseClock.SYSTEM);
		});
		this.shard.withPropertyValues("sharding.reconcile.take-over-check=false")
			.run((context) -> assertThat(context.getBean(RuntimeOptions.class).handOver())
				.isEqualTo(HandOverOptions.DEFAULTS.withTakeOverCheck(false)));
	}

	@Test
	void aTestCanPutOtherClocksAndAnotherLawInPlace() {
		LeaseClock clock = new LeaseClock(InstantSource.offset(InstantSource.system(), Duration.ofSeconds(15)),
				System::nanoTime);
		HandOverOptions unsafe = HandOverOptions.DEFAULTS
			.withTermStart((caches) -> CompletableFuture.completedFuture(null));
		this.shard.withBean(LeaseClock.class, () -> clock)
			.withBean(HandOverOptions.class, () -> unsafe)
			.run((context) -> {
				assertThat(context.getBean(RuntimeOptions.class).clock()).isSameAs(clock);
				assertThat(context.getBean(RuntimeOptions.class).handOver()).isSameAs(unsafe);
			});
	}

	@ShardedController("scopedController")
	@Scope(proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ScopedController implements Reconciler<Secret> {

		@Override
		public Result reconcile(Secret object) {
			return Result.done();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Events {

		private final List<ShardPhaseEvent> seen = new CopyOnWriteArrayList<>();

		@EventListener
		void on(ShardPhaseEvent event) {
			this.seen.add(event);
		}

	}

}
