package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.AwayShards;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.InFlightLimit;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is kept in mind of the controlled objects of a hand-over. Nothing is sent here:
 * {@code SecondLossIT} shows the moves.
 */
class PendingDependentsTests {

	private static final String RING = "my-ring";

	private static final HashRing ONLY_A = HashRing.of(List.of("shard-a"));

	private static final HashRing ONLY_B = HashRing.of(List.of("shard-b"));

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private static final ShardedResource CONFIG_MAPS = new ShardedResource(ResourceType.of(ConfigMap.class).metadata(),
			ResourceRole.CONTROLLED);

	private static final ShardingKey MAIN = new ShardingKey("", "Secret", "default", "main");

	private static final ShardingKey OTHER = new ShardingKey("", "Secret", "default", "other");

	private final AtomicLong nanos = new AtomicLong();

	private final AtomicReference<HashRing> ring = new AtomicReference<>(ONLY_A);

	private final EventLoop loop = new EventLoop("moved-ahead");

	private final KubernetesClient client = new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("http://127.0.0.1:1").build())
		.build();

	private final NobodyIsHeld holds = new NobodyIsHeld();

	private final PendingDependents pendingDependents = pendingDependents();

	private PendingDependents pendingDependents() {
		RingScope scope = new RingScope(RING, Map.of(SECRETS, List.of(CONFIG_MAPS)),
				NamespaceFilter.excluding(List.of()), Set.of());
		RingConnection connection = new RingConnection(this.client, new ApiRequests(this.client),
				new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(), this.nanos::get);
		Placer placer = new Placer(connection, scope,
				new PatchQueue(new InFlightLimit(1), this.nanos::get, this.loop::schedule), this.loop, this.ring::get,
				() -> false, new AwayShards(), new Drains(this.nanos::get), () -> {
				});
		return new PendingDependents(scope, placer, new LeaseHolds(this.holds, this.loop), this.loop,
				new PlacementReports(new ResourceProblems(() -> {
				})), this.nanos::get);
	}

	@AfterEach
	void close() {
		this.loop.close();
		this.client.close();
	}

	@ParameterizedTest(name = "{0}, label {1}: {2}")
	@CsvSource({ "PATCHED, shard-a, true", "PATCHED,, false", "SETTLED, shard-a, true", "SETTLED,, true",
			"UNHELD, shard-b, true", "DROPPED, shard-b, true", "GONE, shard-b, false", "FAILED, shard-b, false",
			"PUT_OFF, shard-b, false" })
	void keepsInMindWhatTheMainObjectMustWaitFor(Outcome outcome, @Nullable String shard, boolean kept) {
		this.pendingDependents.placed(MAIN, placement(outcome, object("c-1", MAIN, shard, 7)));
		assertThat(this.pendingDependents.isKnown(MAIN)).isEqualTo(kept);
	}

	@Test
	void tellsWhetherAllIsWhereARingWantsIt() {
		moved("c-1", "shard-a", 7);
		moved("c-2", "shard-a", 8);
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isTrue();
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_B)).isFalse();
		moved("c-2", "shard-b", 9);
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isFalse();
		assertThat(this.pendingDependents.isSettled(OTHER, ONLY_B)).isTrue();
	}

	@Test
	void takesNoteOfTheNewestVersionOnly() {
		moved("c-1", "shard-a", 10);
		moved("c-1", "shard-b", 9);
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isTrue();
		moved("c-1", "shard-b", 11);
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isFalse();
	}

	@Test
	void forgetsWhatIsGoneOrRefusedOrControlledBySomethingElseNow() {
		for (String name : List.of("c-1", "c-2", "c-3", "c-4")) {
			moved(name, "shard-b", 7);
		}
		this.pendingDependents.placed(MAIN, placement(Outcome.GONE, object("c-1", MAIN, "shard-b", 7)));
		this.pendingDependents.placed(MAIN, placement(Outcome.FAILED, object("c-2", MAIN, "shard-b", 7)));
		this.pendingDependents.placed(MAIN, placement(Outcome.SETTLED, object("c-3", OTHER, "shard-b", 8)));
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isFalse();
		this.pendingDependents.placed(MAIN, placement(Outcome.GONE, object("c-4", MAIN, "shard-b", 7)));
		assertThat(this.pendingDependents.isKnown(MAIN)).isFalse();
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isTrue();
	}

	@Test
	void learnsFromAResyncOnlyAboutObjectsOfAHandOver() {
		this.pendingDependents.placedByResync(placement(Outcome.PATCHED, object("c-1", MAIN, "shard-a", 7)));
		assertThat(this.pendingDependents.isKnown(MAIN)).isFalse();
		moved("c-1", "shard-a", 7);
		this.pendingDependents.placedByResync(placement(Outcome.PATCHED, object("c-2", MAIN, "shard-b", 8)));
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isFalse();
	}

	@Test
	void forgetsWhenTheMainObjectHasFollowed() {
		moved("c-1", "shard-a", 7);
		this.pendingDependents.followed(MAIN);
		assertThat(this.pendingDependents.isKnown(MAIN)).isFalse();
	}

	@Test
	void forgetsWhatIsNeverFollowedOnceAllOfItIsOld() {
		moved("c-1", "shard-a", 7);
		this.nanos.addAndGet(Duration.ofMinutes(6).toNanos());
		moved("c-2", "shard-a", 8);
		this.nanos.addAndGet(Duration.ofMinutes(6).toNanos());
		this.pendingDependents.tidy();
		assertThat(this.pendingDependents.isKnown(MAIN)).isTrue();
		this.nanos.addAndGet(Duration.ofMinutes(6).toNanos());
		this.pendingDependents.tidy();
		assertThat(this.pendingDependents.isKnown(MAIN)).isFalse();
	}

	@Test
	void asksForNothingWhenNothingIsAstray() throws Exception {
		moved("c-1", "shard-a", 7);
		assertThat(settle()).isTrue();
		assertThat(this.holds.asked).isNull();
	}

	@Test
	void mayNotGoOnWhileTheShardThatSomethingHasToLeaveIsNotHeld() throws Exception {
		moved("c-1", "shard-a", 7);
		moved("c-2", "shard-b", 8);
		assertThat(settle()).isFalse();
		assertThat(this.holds.asked).isEqualTo("shard-b");
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_A)).isFalse();
		// What was astray is in its place by a ring that has its shard again.
		this.ring.set(ONLY_B);
		assertThat(this.pendingDependents.isSettled(MAIN, ONLY_B)).isFalse();
		moved("c-1", "shard-b", 9);
		assertThat(settle()).isTrue();
	}

	private boolean settle() throws Exception {
		CompletableFuture<Boolean> settled = new CompletableFuture<>();
		this.loop.execute(() -> this.pendingDependents.settle(MAIN).thenAccept(settled::complete));
		return settled.get(1, TimeUnit.MINUTES);
	}

	private void moved(String name, String shard, int version) {
		this.pendingDependents.placed(MAIN, placement(Outcome.PATCHED, object(name, MAIN, shard, version)));
	}

	private static Placement placement(Outcome outcome, ShardedObject object) {
		ApiException failure = (outcome == Outcome.FAILED) ? new ApiException(422, "Invalid", null, "refused", null)
				: null;
		return new Placement(outcome, object, failure);
	}

	private static ShardedObject object(String name, ShardingKey controller, @Nullable String shard, int version) {
		return new ShardedObject(CONFIG_MAPS, new ObjectKey("default", name), String.valueOf(version), controller,
				(shard != null) ? Map.of(ShardingLabels.shard(RING), shard) : Map.of());
	}

	/**
	 * Whoever is asked for is available after all, so that nothing may leave it.
	 */
	private static final class NobodyIsHeld implements ShardHolds {

		private volatile @Nullable String asked;

		@Override
		public CompletableFuture<@Nullable ShardHold> hold(String shard) {
			this.asked = shard;
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void force(String shard) {
			throw new UnsupportedOperationException();
		}

	}

}
