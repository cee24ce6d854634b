package dev.sharding.shard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Reconciler;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A ring of its own for one test: its shards, and what the sharder and users would do.
 */
final class ShardWorld implements AutoCloseable {

	static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	static final RenewalTimings TIMINGS = new RenewalTimings(Duration.ofSeconds(6), Duration.ofSeconds(4),
			Duration.ofMillis(500), 1.2);

	final String ring = "r" + UUID.randomUUID().toString().substring(0, 8);

	final KubernetesClient client;

	final String namespace;

	RuntimeOptions options;

	private final List<AutoCloseable> open = new ArrayList<>();

	private RenewalTimings timings = TIMINGS;

	ShardWorld(KubernetesClient client, String namespace) {
		this.client = client;
		this.namespace = namespace;
		this.options = RuntimeOptions.DEFAULTS.withNamespaces(Set.of(namespace)).withMeters(new SimpleMeterRegistry());
	}

	static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(20));
	}

	/** Something that must not happen is given this long to happen. */
	static ConditionFactory forAWhile() {
		return Awaitility.await().during(Duration.ofMillis(700)).atMost(Duration.ofSeconds(60));
	}

	/** A machine that stands still for some seconds costs no shard its Lease. */
	ShardWorld patient() {
		this.timings = RenewalTimings.DEFAULTS;
		return this;
	}

	Shard shard(String name) {
		return shard(name, this.client, null);
	}

	Shard shard(String name, KubernetesClient dataClient, @Nullable DrainHandler drainHandler) {
		return shard(name, dataClient, this.client.getConfiguration(), drainHandler);
	}

	Shard shard(String name, KubernetesClient dataClient, Config leaseAccess, @Nullable DrainHandler drainHandler) {
		KubernetesClient leaseClient = LeaseClients.create(leaseAccess, this.timings);
		Shard shard = new Shard(dataClient, leaseClient, this.ring,
				LeaseHolderConfig.shard(this.namespace, this.ring, shardName(name), this.timings), this.options,
				drainHandler);
		this.open.add(leaseClient);
		this.open.add(shard);
		return shard;
	}

	/** A started shard that reconciles Secrets. */
	Shard running(String name, Reconciler<Secret> reconciler) {
		return running(name, reconciler, (spec) -> spec);
	}

	Shard running(String name, Reconciler<Secret> reconciler, UnaryOperator<ControllerSpec.Builder<Secret>> more) {
		Shard shard = shard(name);
		shard.add(more.apply(ControllerSpec.of(SECRETS, reconciler)).build());
		shard.start();
		awaitPhase(shard, RuntimePhase.RUNNING);
		return shard;
	}

	/** What it comes to from now on, also what is over before anybody looks. */
	static List<RuntimePhase> phasesOf(Shard shard) {
		List<RuntimePhase> phases = new CopyOnWriteArrayList<>();
		shard.addListener((phase, reason) -> phases.add(phase));
		return phases;
	}

	void awaitPhase(Shard shard, RuntimePhase phase) {
		soon().untilAsserted(() -> assertThat(shard.phase()).isEqualTo(phase));
	}

	/**
	 * Shard names are Lease names, so they must differ between tests of one namespace.
	 */
	String shardName(String name) {
		return name + "-" + this.ring;
	}

	Secret secret(String name, Map<String, String> labels, Consumer<ObjectMeta> more) {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.withLabels(labels)
			.endMetadata()
			.addToStringData("key", "value")
			.build();
		more.accept(secret.getMetadata());
		return this.client.resource(secret).create();
	}

	Secret secretOf(String shard, String name) {
		return secret(name, assigned(shard), (metadata) -> {
		});
	}

	Map<String, String> assigned(String shard) {
		Map<String, String> labels = new LinkedHashMap<>();
		labels.put(ShardingLabels.shard(this.ring), shardName(shard));
		return labels;
	}

	Map<String, String> drained(String shard) {
		Map<String, String> labels = assigned(shard);
		labels.put(ShardingLabels.drain(this.ring), "true");
		return labels;
	}

	void drain(String name) {
		merge(name, "{\"metadata\":{\"labels\":{\"%s\":\"true\"}}}".formatted(ShardingLabels.drain(this.ring)));
	}

	void assign(String name, String shard) {
		merge(name, "{\"metadata\":{\"labels\":{\"%s\":\"%s\",\"%s\":null}}}".formatted(ShardingLabels.shard(this.ring),
				shardName(shard), ShardingLabels.drain(this.ring)));
	}

	void merge(String name, String patch) {
		this.client.secrets()
			.inNamespace(this.namespace)
			.withName(name)
			.patch(PatchContext.of(PatchType.JSON_MERGE), patch);
	}

	Map<String, String> labels(String name) {
		Map<String, String> labels = this.client.secrets()
			.inNamespace(this.namespace)
			.withName(name)
			.get()
			.getMetadata()
			.getLabels();
		return (labels != null) ? labels : Map.of();
	}

	static Secret annotated(Secret secret, String key, String value) {
		return new SecretBuilder(secret).editMetadata().addToAnnotations(key, value).endMetadata().build();
	}

	static String annotation(Secret secret, String key) {
		Map<String, String> annotations = secret.getMetadata().getAnnotations();
		return (annotations != null) ? annotations.getOrDefault(key, "") : "";
	}

	boolean hasShardingLabels(String name) {
		return labels(name).keySet().stream().anyMatch(ShardingLabels::isSharding);
	}

	void alsoClose(AutoCloseable closeable) {
		this.open.add(closeable);
	}

	@Override
	public void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.client.secrets().inNamespace(this.namespace).delete();
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

}
