package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a new object costs a shard that owns many, under our sharder, and what becomes of
 * one that changes hands at once.
 */
class NewObjectIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	/** The whole proof has 20,000: {@code -Dproof.owned=20000 -Dproof.creates=600}. */
	private static final int OWNED = Integer.getInteger("proof.owned", 300);

	private static final int CREATES = Integer.getInteger("proof.creates", 30);

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private final ControlPlane controlPlane;

	private final World world;

	private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(8);

	private final List<AutoCloseable> open = new ArrayList<>();

	NewObjectIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.world = new World(client, namespace, "new");
	}

	@AfterEach
	void close() throws Exception {
		this.threads.shutdownNow();
		for (int i = this.open.size() - 1; i >= 0; i--) {
			this.open.get(i).close();
		}
		this.world.close();
	}

	@Test
	@DisplayName("Ten new objects a second cost a shard at most one list of what it owns in ten seconds")
	void aNewObjectCostsNoListOfWhatTheShardOwns() {
		own(OWNED, "shard-a");
		this.world.withRing().start();
		Access user = user("new-object-shard");
		shard("shard-a", user);
		untilMarked();
		Audit audit = new Audit(this.controlPlane.apiServer().auditLog(), user.user());
		int before = audit.lines(0).size();
		long begun = System.nanoTime();
		createAtTenASecond(CREATES);
		World.await().untilAsserted(() -> assertThat(childrenOf("new-")).isEqualTo(CREATES));
		long tens = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) / 10;
		assertThat(lists(audit, before)).isLessThanOrEqualTo(1 + tens);
	}

	/* What comes while the sharder opens its watch has no mark, and is listed for. */
	private void untilMarked() {
		World.await().until(() -> {
			String name = "warm-" + this.created.incrementAndGet();
			this.world.secret(name);
			World.await().until(() -> childrenOf(name + "-") == 1);
			return this.world.client.secrets()
				.inNamespace(this.world.namespace)
				.withName(name)
				.get()
				.getMetadata()
				.getLabels()
				.containsKey(ShardingLabels.first(this.world.ring));
		});
	}

	/*
	 * A list of nothing asks for the present version alone, and one of an exact version
	 * checks in tests, every two seconds, that caches are right.
	 */
	private static long lists(Audit audit, int from) {
		return audit.lines(from)
			.stream()
			.filter((line) -> line.contains("\"verb\":\"list\"") && line.contains("\"resource\":\"configmaps\"")
					&& line.contains("\"stage\":\"ResponseComplete\"") && !line.contains("sharding.nobody")
					&& !line.contains("resourceVersionMatch=Exact"))
			.count();
	}

	private long childrenOf(String prefix) {
		return children().stream().filter((child) -> child.getMetadata().getName().startsWith(prefix)).count();
	}

	@Test
	@DisplayName("Objects that change hands in their first second have one child each")
	void whatChangesHandsAtOnceHasOneChild() {
		this.world.withRing().start();
		shard("shard-a", user("first-second-a"));
		CompletableFuture<Void> joined = CompletableFuture.runAsync(() -> shard("shard-b", user("first-second-b")),
				this.threads);
		createAtTenASecond(CREATES);
		joined.join();
		createAtTenASecond(CREATES / 2);
		World.await().untilAsserted(() -> {
			Map<String, String> placed = this.world.secretShards();
			assertThat(placed).hasSize(CREATES + CREATES / 2)
				.isEqualTo(this.world.expected(placed, "shard-a", "shard-b"));
			assertThat(children()).hasSizeGreaterThanOrEqualTo(placed.size());
		});
		assertThat(children().stream().map((child) -> child.getMetadata().getOwnerReferences().get(0).getName()))
			.doesNotHaveDuplicates();
	}

	private final AtomicInteger created = new AtomicInteger();

	private void createAtTenASecond(int count) {
		List<CompletableFuture<Void>> all = IntStream.range(0, count)
			.mapToObj(
					(i) -> CompletableFuture.runAsync(() -> this.world.secret("new-" + this.created.incrementAndGet()),
							CompletableFuture.delayedExecutor(100L * i, TimeUnit.MILLISECONDS, this.threads)))
			.toList();
		all.forEach(CompletableFuture::join);
	}

	/* Makes a child of a generated name, unless the caches hold one. */
	private Shard shard(String name, Access user) {
		RenewalTimings timings = RenewalTimings.of(Duration.ofSeconds(15), null, null);
		KubernetesClient leases = LeaseClients.create(this.controlPlane.admin().config(), timings);
		this.open.add(leases);
		Shard shard = new Shard(user.client(), leases, this.world.ring,
				LeaseHolderConfig.shard(this.world.namespace, this.world.ring, name, timings),
				RuntimeOptions.DEFAULTS.withNamespaces(Set.of(this.world.namespace)).withMeters(this.world.metrics));
		ResourceCache<ConfigMap> configMaps = shard.caches().of(CONFIG_MAPS);
		shard.add(ControllerSpec.of(SECRETS, (Secret secret) -> {
			String uid = secret.getMetadata().getUid();
			if (configMaps.list()
				.stream()
				.noneMatch((child) -> child.getMetadata()
					.getOwnerReferences()
					.stream()
					.anyMatch((owner) -> owner.getUid().equals(uid)))) {
				configMaps.create(child(secret));
			}
			return Result.done();
		}).owns(CONFIG_MAPS).build());
		this.open.add(shard);
		shard.start();
		World.await().untilAsserted(() -> assertThat(shard.phase()).isEqualTo(RuntimePhase.RUNNING));
		return shard;
	}

	private ConfigMap child(Secret secret) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withGenerateName(secret.getMetadata().getName() + "-")
			.withOwnerReferences(new OwnerReferenceBuilder().withApiVersion("v1")
				.withKind("Secret")
				.withName(secret.getMetadata().getName())
				.withUid(secret.getMetadata().getUid())
				.withController(true)
				.build())
			.endMetadata()
			.build();
	}

	private void own(int count, String shard) {
		List<CompletableFuture<Void>> all = IntStream.range(0, count)
			.mapToObj((i) -> CompletableFuture
				.runAsync(() -> this.world.configMap("owned-" + i, null, this.world.assignedTo(shard)), this.threads))
			.toList();
		all.forEach(CompletableFuture::join);
	}

	private List<ConfigMap> children() {
		return this.world.client.configMaps()
			.inNamespace(this.world.namespace)
			.list()
			.getItems()
			.stream()
			.filter((found) -> !found.getMetadata().getOwnerReferences().isEmpty())
			.toList();
	}

	private Access user(String name) {
		return this.controlPlane.user(name, rule("", "get list watch create update patch", "secrets", "configmaps"),
				rule("", "create patch", "events"));
	}

	private static PolicyRule rule(String group, String verbs, String... resources) {
		return new PolicyRuleBuilder().addToApiGroups(group)
			.addToResources(resources)
			.addToVerbs(verbs.split(" "))
			.build();
	}

}
