package dev.sharding.shard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.jspecify.annotations.Nullable;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.SharderMark;
import dev.sharding.internal.core.slot.SlotDecision.Reason;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.core.slot.SlotNames;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shards of slots on a real API server, without a sharder: nobody moves anything here.
 */
final class SlotShards implements AutoCloseable {

	private static final ResourceDefinitionContext RINGS = new ResourceDefinitionContext.Builder()
		.withGroup("sharding.timebertt.dev")
		.withVersion("v1alpha1")
		.withKind("ControllerRing")
		.withPlural("controllerrings")
		.withNamespaced(false)
		.build();

	final ControlPlane controlPlane;

	final ShardWorld world;

	/** Which pod has reconciled which object. */
	final List<String> reconciled = new CopyOnWriteArrayList<>();

	/** What is closed at the end, the latest first. */
	final List<AutoCloseable> open = new ArrayList<>();

	/** What a reconcile does besides. */
	volatile Consumer<Secret> during = (secret) -> {
	};

	private final String prefix;

	/** Of all Leases that shards acquire here. */
	RenewalTimings timings = ShardWorld.TIMINGS;

	SlotShards(ControlPlane controlPlane, KubernetesClient client, String namespace) {
		this.controlPlane = controlPlane;
		this.world = new ShardWorld(client, namespace);
		this.prefix = "slot-" + this.world.ring;
		CustomResourceDefinitions.apply(client, "/crds/controllerrings.yaml");
		honour("True");
	}

	@Override
	public void close() throws Exception {
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.world.close();
		rings().withName(this.world.ring).delete();
	}

	/** A machine that stands still for some seconds costs no shard its Lease. */
	SlotShards patient() {
		this.timings = RenewalTimings.DEFAULTS;
		return this;
	}

	KubernetesClient through(TcpProxy link) {
		KubernetesClient data = new KubernetesClientBuilder()
			.withConfig(this.controlPlane.admin().through(link).config())
			.build();
		this.open.add(data);
		return data;
	}

	Shard start(String pod, int slots) {
		return start(pod, slots, options(pod, slots), this.world.client.getConfiguration());
	}

	Shard start(String pod, int slots, SlotOptions options, Config leaseAccess) {
		Shard shard = shard(pod, options, this.world.client, leaseAccess);
		shard.start();
		return shard;
	}

	Shard shard(String pod, SlotOptions options, KubernetesClient data, Config leaseAccess) {
		KubernetesClient leaseClient = LeaseClients.create(leaseAccess, this.timings);
		Shard shard = Shard.ofSlots(data, leaseClient, options, this.world.options, null);
		shard.add(controller(pod));
		this.open.add(leaseClient);
		this.open.add(shard);
		return shard;
	}

	/** A shard of one slot whose requests about objects pass a link. */
	Shard through(TcpProxy link, String pod) {
		return shard(pod, options(pod, 1), through(link), this.world.client.getConfiguration());
	}

	ControllerSpec<Secret> controller(String pod) {
		return ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			this.reconciled.add(pod + " " + secret.getMetadata().getName());
			this.during.accept(secret);
			return Result.done();
		}).owns(ShardWorld.CONFIG_MAPS).build();
	}

	SlotOptions options(String pod, int slots) {
		return new SlotOptions(this.world.namespace, this.world.ring, new SlotNames(this.prefix, slots), this.timings,
				pod + "-" + System.nanoTime(), Duration.ofMinutes(10), Duration.ofSeconds(30), Duration.ofSeconds(30),
				pod, null, this.world.namespace, "no-election");
	}

	TcpProxy link() {
		TcpProxy proxy = TcpProxy.to(this.controlPlane.apiServer());
		this.open.add(proxy);
		return proxy;
	}

	void honour(String status) {
		GenericKubernetesResource ring = new GenericKubernetesResourceBuilder()
			.withApiVersion("sharding.timebertt.dev/v1alpha1")
			.withKind("ControllerRing")
			.withNewMetadata()
			.withName(this.world.ring)
			.endMetadata()
			.withAdditionalProperties(Map.of("status",
					Map.of("conditions",
							List.of(Map.of("type", ShardingLabels.CONDITION_SLOTS_HONOURED, "status", status, "reason",
									SharderMark.NOT_ELECTED)))))
			.build();
		rings().resource(ring).createOr((present) -> present.update());
	}

	private NonNamespaceOperation<GenericKubernetesResource, ?, Resource<GenericKubernetesResource>> rings() {
		return this.world.client.genericKubernetesResources(RINGS);
	}

	String slot(int number) {
		return new SlotNames(this.prefix, SlotNames.MOST).name(number);
	}

	/** Of an object that bears the label of a slot. */
	ObjectMeta metadata(int slot, String name) {
		return new ObjectMetaBuilder().withNamespace(this.world.namespace)
			.withName(name)
			.addToLabels(ShardingLabels.shard(this.world.ring), slot(slot))
			.build();
	}

	void secretOfSlot(int slot, String name) {
		this.world.client.resource(new SecretBuilder().withMetadata(metadata(slot, name)).build()).create();
	}

	void configMapOf(int slot, String name) {
		this.world.client.resource(new ConfigMapBuilder().withMetadata(metadata(slot, name)).build()).create();
	}

	Secret secret(String name) {
		return this.world.client.secrets().inNamespace(this.world.namespace).withName(name).get();
	}

	ConfigMap configMap(String name) {
		return this.world.client.configMaps().inNamespace(this.world.namespace).withName(name).get();
	}

	Map<String, String> versions(String... names) {
		Map<String, String> versions = new HashMap<>();
		for (String name : names) {
			versions.put(name, secret(name).getMetadata().getResourceVersion());
		}
		return versions;
	}

	Resource<Lease> lease(int slot) {
		return this.world.client.leases().inNamespace(this.world.namespace).withName(slot(slot));
	}

	SlotLease slotLease(int slot) {
		return LeaseRecords.slotLease(lease(slot).get());
	}

	String podOf(int slot) {
		return lease(slot).get().getMetadata().getLabels().getOrDefault(ShardingLabels.POD, "");
	}

	String instanceOf(int slot) {
		return String.valueOf(slotLease(slot).record().instanceId());
	}

	List<String> events() {
		return this.world.client.v1()
			.events()
			.inNamespace(this.world.namespace)
			.list()
			.getItems()
			.stream()
			.map((event) -> String.valueOf(event.getMessage()))
			.toList();
	}

	void awaitReconciled(String pod, String... names) {
		ShardWorld.soon()
			.untilAsserted(() -> assertThat(this.reconciled)
				.containsAll(Stream.of(names).map((name) -> pod + " " + name).toList()));
	}

	static List<Shard> running(Shard... shards) {
		return Stream.of(shards).filter((shard) -> shard.phase() == RuntimePhase.RUNNING).toList();
	}

	static @Nullable Reason reason(Shard shard) {
		return shard.standby().map(StandbyStatus::reason).orElse(null);
	}

}
