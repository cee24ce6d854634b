package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.metadata.Sources;
import dev.sharding.internal.sharder.assignment.placement.AwayShards;
import dev.sharding.internal.sharder.assignment.placement.DrainBudget;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.InFlightLimit;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue;
import dev.sharding.internal.sharder.assignment.placement.PlacementReports;
import dev.sharding.internal.sharder.assignment.placement.Placer;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.shardlease.ShardHold;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is kept in mind where nobody can hold the shard that all controlled objects have
 * to leave.
 */
@ControlPlaneTest
class ControlledSurveyIT {

	private static final String RING = "survey";

	private static final int MOST = 10;

	private static final int ALL = 100;

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private static final ShardedResource CONFIG_MAPS = new ShardedResource(ResourceType.of(ConfigMap.class).metadata(),
			ResourceRole.CONTROLLED);

	private final EventLoop loop = new EventLoop("survey");

	private final PatchQueue queue = new PatchQueue(new InFlightLimit(10), System::nanoTime, this.loop::schedule);

	private final AtomicInteger failed = new AtomicInteger();

	private final NobodyIsHeld holds = new NobodyIsHeld();

	private final KubernetesClient client;

	private final String namespace;

	private final PendingDependents pendingDependents;

	private final UnavailableShards unavailableShards;

	private final MainObjects mainObjects;

	private final Supplier<ControlledSurvey> surveys;

	ControlledSurveyIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
		RingScope scope = new RingScope(RING, Map.of(SECRETS, List.of(CONFIG_MAPS)),
				NamespaceFilter.excluding(List.of()), Set.of());
		RingConnection connection = new RingConnection(client, new ApiRequests(client),
				new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(), System::nanoTime);
		HashRing ring = HashRing.of(List.of("shard-a"));
		Drains drains = new Drains(System::nanoTime);
		Placer placer = new Placer(connection, scope, this.queue, this.loop, () -> ring, () -> false, new AwayShards(),
				drains, () -> {
				});
		ResourceProblems problems = new ResourceProblems(() -> {
		});
		PlacementReports reports = new PlacementReports(problems);
		LeaseHolds leaseHolds = new LeaseHolds(this.holds, this.loop);
		this.pendingDependents = new PendingDependents(scope, placer, leaseHolds, this.loop, reports, System::nanoTime);
		MetadataLists metadata = new MetadataLists(connection.requests(), scope, connection.throttle()).in(namespace);
		ControlledLists lists = new ControlledLists(scope, metadata, this.loop, problems);
		Supplier<Room> rooms = () -> new Room(MOST, System::nanoTime, this.loop::schedule);
		Sources sources = new Sources(connection, scope, metadata, this.loop);
		this.unavailableShards = new UnavailableShards(scope, lists, placer, this.pendingDependents, reports, rooms,
				this.loop);
		HandOvers handOvers = new HandOvers(scope, lists, sources, this.unavailableShards, this.pendingDependents,
				placer, this.loop, reports, HandOverOrder.CONTROLLED_OBJECTS_FIRST);
		DrainLimiter pacer = new DrainLimiter(sources, placer, DrainBudget.NONE, this.loop, System::nanoTime, () -> {
		});
		this.mainObjects = new MainObjects(scope, placer, handOvers, drains, pacer, leaseHolds, this.pendingDependents,
				this.loop, reports, connection.activity(), this.failed::incrementAndGet);
		this.surveys = () -> new ControlledSurvey(scope, List.of(CONFIG_MAPS), lists, placer, leaseHolds,
				this.pendingDependents, this.mainObjects::isChangingHands, this.loop, reports, rooms.get(), MOST);
	}

	@AfterEach
	void close() {
		this.queue.close();
		this.loop.close();
		this.client.configMaps().inNamespace(this.namespace).delete();
		this.client.secrets().inNamespace(this.namespace).delete();
	}

	@Test
	@DisplayName("Of a hundred controlled objects that cannot leave their shard a few are kept in mind; no main object goes before its own")
	void keepsInMindNoMoreThanItMay() throws Exception {
		IntStream.range(0, ALL).forEach(this::configMap);
		ControlledSurvey survey = survey();
		assertThat(IntStream.range(0, ALL).filter((i) -> this.pendingDependents.isKnown(main(i))).count())
			.isLessThanOrEqualTo(2 * MOST);
		assertThat(IntStream.range(0, ALL)).allMatch((i) -> !survey.astray(main(i)).isEmpty()
				|| this.pendingDependents.isKnown(main(i)) || survey.mayHaveLeftBehind(main(i)));
	}

	@Test
	@DisplayName("The main object of what was not kept in mind is left to a later pass, and follows what another survey moves")
	void leavesTheRestToAnotherSurvey() throws Exception {
		IntStream.range(0, ALL).forEach(this::configMap);
		ControlledSurvey first = survey();
		int last = IntStream.range(0, ALL).filter((i) -> first.mayHaveLeftBehind(main(i))).findFirst().orElseThrow();
		ShardedObject secret = secret(last);
		onLoop(() -> {
			this.mainObjects.judge(secret, Past.surveyed(first));
			return true;
		});
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> this.failed.get() > 0 && !this.mainObjects.isChangingHands(main(last)));
		assertThat(shardOf(last)).isNull();
		this.holds.held = true;
		ControlledSurvey second = survey();
		onLoop(() -> {
			this.mainObjects.judge(secret, Past.surveyed(second));
			return true;
		});
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> "shard-a".equals(shardOf(last)));
		assertThat(this.client.configMaps()
			.inNamespace(this.namespace)
			.withName("c-" + last)
			.get()
			.getMetadata()
			.getLabels()).containsEntry(ShardingLabels.shard(RING), "shard-a");
	}

	private ControlledSurvey survey() throws Exception {
		ControlledSurvey survey = onLoop(this.surveys);
		survey.done().get(2, TimeUnit.MINUTES);
		return survey;
	}

	private void configMap(int number) {
		this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("c-" + number)
				.addToLabels(ShardingLabels.shard(RING), "shard-lost")
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName("s-" + number)
				.withUid("none")
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.build())
			.createOr((existing) -> existing.update());
	}

	private ShardedObject secret(int number) {
		String version = this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("s-" + number)
				.endMetadata()
				.build())
			.createOr((existing) -> existing.update())
			.getMetadata()
			.getResourceVersion();
		return new ShardedObject(SECRETS, new ObjectKey(this.namespace, "s-" + number), version, main(number),
				Map.of());
	}

	private @Nullable String shardOf(int number) {
		Map<String, String> labels = this.client.secrets()
			.inNamespace(this.namespace)
			.withName("s-" + number)
			.get()
			.getMetadata()
			.getLabels();
		return (labels != null) ? labels.get(ShardingLabels.shard(RING)) : null;
	}

	private ShardingKey main(int number) {
		return new ShardingKey("", "Secret", this.namespace, "s-" + number);
	}

	private <T> T onLoop(Supplier<T> task) throws Exception {
		CompletableFuture<T> result = new CompletableFuture<>();
		this.loop.execute(() -> result.complete(task.get()));
		return result.get(1, TimeUnit.MINUTES);
	}

	/**
	 * Whoever is asked for is available after all, until it is held.
	 */
	private static final class NobodyIsHeld implements ShardHolds {

		private volatile boolean held;

		@Override
		public CompletableFuture<@Nullable ShardHold> hold(String shard) {
			return CompletableFuture.completedFuture(this.held ? new Hold(shard, true) : null);
		}

		@Override
		public void force(String shard) {
			throw new UnsupportedOperationException();
		}

	}

	private record Hold(String shard, boolean isValid) implements ShardHold {

		@Override
		public long number() {
			return 1;
		}

		@Override
		public void release() {
		}

	}

}
