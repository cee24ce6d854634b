package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.ring.ControllerRingStatus;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.CustomResourceDefinitions;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NamespaceableResource;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A ring of Secrets and ConfigMaps with hand-made shards: what a test changes, and how it
 * looks at the result.
 */
final class World implements AutoCloseable {

	static final Duration PATIENCE = Duration.ofSeconds(90);

	/*
	 * Hand-made shards let go of nothing, so what is assigned while others are waited for
	 * would stay where it is.
	 */
	static final SharderOptions AT_ONCE = SharderOptions.DEFAULT.withSettle(Duration.ZERO);

	private static final int USUAL_LEASE = 15;

	final KubernetesClient client;

	final String namespace;

	final String ring;

	final SimpleMeterRegistry metrics = new SimpleMeterRegistry();

	private final List<Sharder> sharders = new ArrayList<>();

	private final List<Repetition> repetitions = new ArrayList<>();

	private final List<KubernetesClient> users = new ArrayList<>();

	private Surroundings surroundings = Surroundings.usual();

	private Duration settle = Duration.ZERO;

	World(KubernetesClient client, String namespace, String ring) {
		this.client = client;
		this.namespace = namespace;
		this.ring = ring;
		CustomResourceDefinitions.apply(client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(100));
	}

	World withRing() {
		return withRing((spec) -> spec);
	}

	World withRing(UnaryOperator<ControllerRingSpec> change) {
		ControllerRing created = new ControllerRing();
		created.setMetadata(new ObjectMetaBuilder().withName(this.ring).build());
		created.setSpec(change.apply(new ControllerRingSpec(
				List.of(new MainResource("", "secrets", List.of(new ControlledResource("", "configmaps")))), null)));
		create(created);
		return this;
	}

	/* Under the roles of the manifests for the rings that there are at first. */
	Sharder start() {
		if (this.users.isEmpty()) {
			this.users.add(SharderUser.client(this.client));
		}
		return start(this.users.get(0), SharderOptions.DEFAULT.withSettle(this.settle));
	}

	/* Within which those that come make one change. */
	World settle(Duration other) {
		this.settle = other;
		return this;
	}

	Sharder start(KubernetesClient its, SharderOptions options) {
		return run(new Sharder(its, options, this.surroundings, this.metrics, InstantSource.system(), System::nanoTime,
				RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	/*
	 * Who was never seen is waited for no longer than the others of the ring last, which
	 * a test makes short.
	 */
	World impatient() {
		this.surroundings = this.surroundings.withUnseen(Duration.ofSeconds(1));
		return this;
	}

	Sharder run(Sharder sharder) {
		this.sharders.add(sharder);
		sharder.start();
		return sharder;
	}

	ControllerRing ring() {
		return this.client.resources(ControllerRing.class).withName(this.ring).get();
	}

	ControllerRingStatus status() {
		ControllerRingStatus status = ring().getStatus();
		return (status != null) ? status : new ControllerRingStatus(0L, 0, 0, List.of());
	}

	/* Returns once the sharder knows of so many shards. */
	void awaitShards(int available) {
		await().untilAsserted(() -> assertThat(status().availableShards()).isEqualTo(available));
	}

	/*
	 * A shard that is ready for as long as the test takes: renewed in the future, not for
	 * longer than usual.
	 */
	void shard(String name) {
		lasting(name, USUAL_LEASE);
	}

	/* The same, with another duration. */
	void lasting(String name, int seconds) {
		shard(name, seconds, ZonedDateTime.now(ZoneOffset.UTC).plusHours(1));
	}

	void shard(String name, int seconds) {
		shard(name, seconds, ZonedDateTime.now(ZoneOffset.UTC));
	}

	private void shard(String name, int seconds, ZonedDateTime now) {
		this.client
			.resource(new LeaseBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.addToLabels(ShardingLabels.LEASE_RING, this.ring)
				.addToAnnotations(ShardingLabels.INSTANCE_ID, "hand-made")
				.endMetadata()
				.withNewSpec()
				.withHolderIdentity(name)
				.withLeaseDurationSeconds(seconds)
				.withAcquireTime(now)
				.withRenewTime(now)
				.withLeaseTransitions(0)
				.endSpec()
				.build())
			// Also where an answer was lost and the client asked again.
			.createOr(NonDeletingOperation::update);
	}

	/* A shard that lives until its renewals end; then it is gone without a word. */
	Repetition renewing(String name, int seconds) {
		shard(name, seconds);
		Repetition renewing = new Repetition(Executors.newSingleThreadScheduledExecutor());
		renewing.timer.scheduleWithFixedDelay(() -> renewNow(name), 0, seconds * 300L, TimeUnit.MILLISECONDS);
		this.repetitions.add(renewing);
		return renewing;
	}

	/* Stands in for all shards: takes both labels off what is to be drained. */
	void acknowledgeDrains() {
		Repetition acknowledging = new Repetition(Executors.newSingleThreadScheduledExecutor());
		acknowledging.timer.scheduleWithFixedDelay(this::acknowledgeNow, 0, 50, TimeUnit.MILLISECONDS);
		this.repetitions.add(acknowledging);
	}

	private void acknowledgeNow() {
		try {
			this.client.secrets()
				.inNamespace(this.namespace)
				.withLabel(ShardingLabels.drain(this.ring))
				.list()
				.getItems()
				.forEach((secret) -> {
					secret.getMetadata().getLabels().remove(ShardingLabels.shard(this.ring));
					secret.getMetadata().getLabels().remove(ShardingLabels.drain(this.ring));
					this.client.resource(secret).update();
				});
		}
		catch (KubernetesClientException ex) {
			// Somebody was faster.
		}
	}

	private void renewNow(String name) {
		editLease(name, (lease) -> {
			lease.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
			return lease;
		});
	}

	void renew(String name) {
		editLease(name, (lease) -> {
			lease.getSpec().setHolderIdentity(name);
			ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
			boolean released = lease.getSpec().getLeaseDurationSeconds() == 1;
			if (released) {
				lease.getSpec().setLeaseDurationSeconds(USUAL_LEASE);
			}
			lease.getSpec().setRenewTime(released ? now.plusHours(1) : now);
			return lease;
		});
	}

	/* As a shard does that stops gracefully. */
	void release(String name) {
		editLease(name, (lease) -> {
			ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
			lease.getSpec().setHolderIdentity("");
			lease.getSpec().setLeaseDurationSeconds(1);
			lease.getSpec().setAcquireTime(now);
			lease.getSpec().setRenewTime(now);
			return lease;
		});
	}

	/*
	 * A webhook that hears nothing of the shards for as long as a Lease lasts takes what
	 * it knows for the past: here is what it hears of shards that are not renewed.
	 */
	Repetition sayThatLeasesAreThere() {
		Repetition saying = new Repetition(Executors.newSingleThreadScheduledExecutor());
		saying.timer.scheduleWithFixedDelay(this::sayNow, 0, 500, TimeUnit.MILLISECONDS);
		return saying;
	}

	private void sayNow() {
		try {
			var leases = this.client.leases().inNamespace(this.namespace);
			String said = "{\"metadata\": {\"annotations\": {\"test/said\": \"%s\"}}}".formatted(Instant.now());
			leases.withLabel(ShardingLabels.LEASE_RING, this.ring)
				.list()
				.getItems()
				.forEach((lease) -> leases.withName(lease.getMetadata().getName())
					.patch(PatchContext.of(PatchType.JSON_MERGE), said));
		}
		catch (KubernetesClientException ex) {
			// A Lease is gone, or the API server is.
		}
	}

	void editLease(String name, UnaryOperator<Lease> change) {
		retrying(() -> this.client.leases().inNamespace(this.namespace).withName(name).edit(change));
	}

	Lease lease(String name) {
		return this.client.leases().inNamespace(this.namespace).withName(name).get();
	}

	String state(String shard) {
		Lease lease = lease(shard);
		return (lease != null) ? lease.getMetadata().getLabels().get(ShardingLabels.LEASE_STATE) : null;
	}

	Secret secret(String name) {
		return secret(name, Map.of());
	}

	Secret secret(String name, Map<String, String> labels) {
		return create(new SecretBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.withLabels(labels)
			.endMetadata()
			.addToStringData("password", "s3cr3t-" + name)
			.build());
	}

	ConfigMap configMap(String name, Secret owner, Map<String, String> labels) {
		ConfigMapBuilder builder = new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.withLabels(labels)
			.endMetadata();
		if (owner != null) {
			builder.editMetadata()
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName(owner.getMetadata().getName())
				.withUid(owner.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata();
		}
		return create(builder.build());
	}

	/* Where its answer was lost and the client asked again, it is there already. */
	private <T extends HasMetadata> T create(T object) {
		NamespaceableResource<T> resource = this.client.resource(object);
		return resource.createOr((existing) -> resource.get());
	}

	Map<String, String> assignedTo(String shard) {
		return Map.of(ShardingLabels.shard(this.ring), shard);
	}

	String secretShard(String name) {
		return shardOf(this.client.secrets().inNamespace(this.namespace).withName(name).get());
	}

	String configMapShard(String name) {
		return shardOf(this.client.configMaps().inNamespace(this.namespace).withName(name).get());
	}

	boolean isDraining(String secret) {
		Map<String, String> labels = this.client.secrets()
			.inNamespace(this.namespace)
			.withName(secret)
			.get()
			.getMetadata()
			.getLabels();
		return labels != null && labels.containsKey(ShardingLabels.drain(this.ring));
	}

	void removeLabels(String secret) {
		retrying(() -> this.client.secrets().inNamespace(this.namespace).withName(secret).edit((found) -> {
			found.getMetadata().getLabels().remove(ShardingLabels.shard(this.ring));
			found.getMetadata().getLabels().remove(ShardingLabels.drain(this.ring));
			return found;
		}));
	}

	Map<String, String> secretShards() {
		return shards(this.client.secrets().inNamespace(this.namespace).list().getItems());
	}

	Map<String, String> configMapShards() {
		return shards(this.client.configMaps().inNamespace(this.namespace).list().getItems());
	}

	Map<String, String> expected(Map<String, String> names, String... shards) {
		Map<String, String> expected = new HashMap<>();
		names.keySet().forEach((name) -> expected.put(name, owner(name, shards)));
		return expected;
	}

	/* Who should own a Secret, or what it controls. */
	String owner(String secret, String... shards) {
		return HashRing.of(List.of(shards)).shardFor(new ShardingKey("", "Secret", this.namespace, secret));
	}

	/* The name of a Secret that belongs to the given one of the shards. */
	String secretOf(String shard, String... shards) {
		return firstOf("s-", shard, shards);
	}

	/* The first name after the prefix that belongs to one of the shards. */
	String firstOf(String prefix, String shard, String... shards) {
		for (int i = 0;; i++) {
			String name = prefix + i;
			if (shard.equals(owner(name, shards))) {
				return name;
			}
		}
	}

	/*
	 * Whether what the Secret controls had its label first. Nobody must write them since.
	 */
	void assertLabelledBefore(String configMap, String secret) {
		String controlled = this.client.configMaps()
			.inNamespace(this.namespace)
			.withName(configMap)
			.get()
			.getMetadata()
			.getResourceVersion();
		String main = this.client.secrets()
			.inNamespace(this.namespace)
			.withName(secret)
			.get()
			.getMetadata()
			.getResourceVersion();
		assertThat(ResourceVersions.compare(controlled, main)).isEqualTo(ResourceVersions.Order.BEFORE);
	}

	/* Returns once so many passes over all objects have ended. */
	void awaitPasses(int passes) {
		await().untilAsserted(() -> assertThat(passes()).isGreaterThanOrEqualTo(passes));
	}

	long passes() {
		return this.metrics.find("controller.sharding.resync")
			.timers()
			.stream()
			.mapToLong((timer) -> timer.count())
			.sum();
	}

	double count(String meter, String resource) {
		return this.metrics.find("controller.sharding." + meter)
			.tags("controllerring", this.ring, "resource", resource)
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

	/* How often the webhook has answered so. */
	double answers(String outcome) {
		return this.metrics.find("controller.sharding.webhook.requests")
			.tags("outcome", outcome)
			.timers()
			.stream()
			.mapToDouble((timer) -> timer.count())
			.sum();
	}

	private Map<String, String> shards(List<? extends HasMetadata> objects) {
		Map<String, String> shards = new HashMap<>();
		objects.forEach((object) -> shards.put(object.getMetadata().getName(), shardOf(object)));
		return shards;
	}

	String shardOf(HasMetadata object) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return (labels != null) ? labels.get(ShardingLabels.shard(this.ring)) : null;
	}

	static void retrying(Runnable write) {
		await()
			.ignoreExceptionsMatching(
					(ex) -> ex instanceof KubernetesClientException failure && Objects.equals(failure.getCode(), 409))
			.until(() -> {
				write.run();
				return true;
			});
	}

	/* Returns when all of them have ended; one that failed fails the test. */
	static void awaitAll(List<? extends Future<?>> all) {
		for (Future<?> one : all) {
			try {
				one.get(2, TimeUnit.MINUTES);
			}
			catch (InterruptedException | ExecutionException | TimeoutException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	@Override
	public void close() {
		this.repetitions.forEach(Repetition::end);
		this.sharders.forEach(Sharder::close);
		this.users.forEach(KubernetesClient::close);
		this.client.resources(ControllerRing.class).withName(this.ring).delete();
		this.client.leases().inNamespace(this.namespace).delete();
		this.client.secrets().inNamespace(this.namespace).delete();
		this.client.configMaps().inNamespace(this.namespace).delete();
		await().until(() -> ring() == null);
	}

	/**
	 * What is done again and again until it ends.
	 */
	record Repetition(ScheduledExecutorService timer) {

		/* Returns when nothing of it is on its way any more. */
		void end() {
			this.timer.shutdown();
			try {
				assertThat(this.timer.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
