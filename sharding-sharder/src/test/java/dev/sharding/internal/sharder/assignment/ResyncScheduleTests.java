package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.sharder.activity.RingActivity;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A ring without resources: a pass over it lists nothing and is over at once.
 */
class ResyncScheduleTests {

	private final EventLoop loop = new EventLoop("test");

	private final AtomicInteger passes = new AtomicInteger();

	private final AtomicReference<Boolean> passed = new AtomicReference<>();

	private final ResyncSchedule schedule = new ResyncSchedule(this.loop, Duration.ofHours(1), System::nanoTime,
			this::pass, (duration, complete) -> this.passed.set(complete));

	@AfterEach
	void close() {
		this.loop.close();
	}

	@Test
	void anObjectThatKeepsFailingDoesNotDelayThePassAfterAChangeOfMembership() {
		failOften();
		AtomicBoolean quiet = new AtomicBoolean();
		int before = this.passes.get();
		onLoop(() -> this.schedule.afterwards(quiet::get, () -> true, () -> false));
		onLoop(() -> this.schedule.failed(true));
		quiet.set(true);
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.untilAsserted(() -> assertThat(this.passes).hasValue(before + 1));
	}

	@Test
	void anObjectThatKeepsFailingDoesNotDelayThePassForOneThatHasJustFailed() {
		failOften();
		int before = this.passes.get();
		// A stream of them does not put it off either.
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
			onLoop(() -> this.schedule.failed(true));
			assertThat(this.passes).hasValueGreaterThan(before);
		});
	}

	@Test
	void tellsHowAPassEnded() {
		onLoop(this.schedule::now);
		Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertThat(this.passed).hasValue(true));
	}

	@Test
	void aStreamOfChangesCostsOneMorePassAndKeepsNoneFromEnding() {
		onLoop(() -> {
			this.schedule.soon();
			this.schedule.soon();
			this.schedule.soon();
		});
		Awaitility.await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(this.passes).hasValue(2));
		Awaitility.await()
			.during(Duration.ofMillis(500))
			.atMost(Duration.ofSeconds(90))
			.untilAsserted(() -> assertThat(this.passes).hasValue(2));
	}

	/* Each failed pass doubles the delay of the next: soon it is minutes. */
	private void failOften() {
		for (int i = 0; i < 8; i++) {
			onLoop(() -> {
				this.schedule.now();
				this.schedule.failed(false);
			});
			onLoop(() -> {
			});
		}
	}

	private void onLoop(Runnable task) {
		CompletableFuture.runAsync(task, this.loop).join();
	}

	/* It asks nobody anything, so it needs nobody to ask. */
	private Resync pass() {
		this.passes.incrementAndGet();
		RingScope scope = new RingScope("ring", Map.of(), NamespaceFilter.excluding(Set.of()), Set.of());
		ResourceProblems problems = new ResourceProblems(() -> {
		});
		return new Resync(scope, HashRing.of(List.of()), null, null, null, new Drains(System::nanoTime), null, null,
				this.loop, problems, new PlacementReports(problems), new RingActivity(InstantSource.system()), null,
				new Room(1, System::nanoTime, (task, delay) -> {
				}));
	}

}
