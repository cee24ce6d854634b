package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.core.fence.FenceGate;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.WriteFencedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class WriteFenceTests {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ResourceType<ConfigMap> CONFIG_MAPS = ResourceType.of(ConfigMap.class);

	private static final Moment START = new Moment(Instant.parse("2026-01-01T00:00:00Z"), 0);

	private final Map<ObjectKey, Secret> store = new ConcurrentHashMap<>();

	private final Map<ObjectKey, HasMetadata> cached = new ConcurrentHashMap<>();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private volatile Moment now = START;

	private volatile @Nullable LeaseTerm term = new LeaseTerm(1, START, START, Duration.ofSeconds(15));

	private final Claims claims = new Claims("ring", "s1", () -> this.now);

	private final WriteFence fence = WriteFence.ofShard("ring", () -> this.term, () -> this.now, FenceLaw.CONTRACT,
			this.meters, this.claims, (resource, key) -> this.cached.get(key), new SentWrites(System::nanoTime));

	@BeforeEach
	void ownA() {
		this.claims.follow(SECRETS, this.store::get, (key) -> null);
		this.claims.open();
		this.store.put(new ObjectKey("ns", "a"), secret("a"));
	}

	@Test
	void readsPassFreely() {
		this.term = null;
		assertThat(this.fence.admit(ApiRequest.of("GET", SECRETS.path("ns", "b")))).isNull();
	}

	@Test
	void nothingIsWrittenWithoutALease() {
		this.term = null;
		WriteFencedException refused = refused(write("PATCH", SECRETS, "a"));
		assertThat(refused.gate()).isEqualTo(FenceGate.LEASE);
		assertThat(refused).hasMessage("Refused to PATCH secrets ns/a: the Lease of ring is not held");
		assertThat(count("lease")).isOne();
		assertThat(count("object")).isZero();
	}

	@Test
	void tellsHowLongTheLeaseCouldNotBeProven() {
		this.now = new Moment(START.wall().plusSeconds(20), START.nanos());
		WriteFencedException refused = refused(write("PATCH", SECRETS, "a"));
		assertThat(refused.late()).isEqualTo(Duration.ofSeconds(7));
		assertThat(refused)
			.hasMessage("Refused to PATCH secrets ns/a: the Lease of ring could not be proven for 7000 ms");
	}

	@Test
	void asksAgainWhenTheBytesGoOut() {
		Runnable permit = this.fence.admit(write("PATCH", SECRETS, "a"));
		Objects.requireNonNull(permit).run();
		this.now = new Moment(START.wall(), START.nanos() + TimeUnit.SECONDS.toNanos(13));
		assertThat(catchThrowableOfType(WriteFencedException.class, permit::run)).isNotNull();
		this.now = START;
		permit.run();
		this.claims.end();
		this.claims.open();
		assertThat(catchThrowableOfType(WriteFencedException.class, permit::run).gate()).isEqualTo(FenceGate.OBJECT);
	}

	@Test
	void mainObjectsAreWrittenByTheirOwnerOnly() {
		assertThat(this.fence.admit(write("PATCH", SECRETS, "a"))).isNotNull();
		WriteFencedException refused = refused(write("PATCH", SECRETS, "b"));
		assertThat(refused.gate()).isEqualTo(FenceGate.OBJECT);
		assertThat(refused).hasMessage("Refused to PATCH secrets ns/b: no claim on secrets ns/b");
		assertThat(refused(ApiRequest.of("PUT", SECRETS.path("ns", "b") + "/status", MediaTypes.JSON, "{}")).gate())
			.isEqualTo(FenceGate.OBJECT);
		assertThat(refused(ApiRequest.of("POST", SECRETS.path("ns", "b") + "/eviction", MediaTypes.JSON, "{}")).gate())
			.isEqualTo(FenceGate.OBJECT);
		assertThat(count("object")).isEqualTo(3);
	}

	@Test
	void childrenAreWrittenByTheOwnerOfTheirOwner() {
		assertThat(this.fence.admit(child("POST", null, owner("a", true)))).isNotNull();
		assertThat(this.fence.admit(child("PUT", "c", owner("a", false)))).isNotNull();
		assertThat(refused(child("POST", null, owner("b", true))).gate()).isEqualTo(FenceGate.OBJECT);
		assertThat(refused(child("DELETE", "c", owner("b", false))).gate()).isEqualTo(FenceGate.OBJECT);
		assertThat(refused(child("PUT", "c", owner("a", false), owner("b", true))).gate()).isEqualTo(FenceGate.OBJECT);
		assertThat(this.fence.admit(child("PUT", "c", owner("b", false), owner("a", false)))).isNotNull();
	}

	@Test
	void theOwnerOfAChildThatIsWrittenWithoutItIsFoundInTheCache() {
		this.cached.put(new ObjectKey("ns", "c"), configMap("c", owner("b", true)));
		assertThat(refused(child("PATCH", "c")).gate()).isEqualTo(FenceGate.OBJECT);
	}

	@Test
	void whatConcernsNoMainObjectPassesTheObjectGate() {
		assertThat(this.fence.admit(child("POST", null))).isNotNull();
		assertThat(this.fence.admit(ApiRequest.of("POST", "/version", MediaTypes.JSON, "{}"))).isNotNull();
	}

	@Test
	void aReconcileWritesNothingAtAllOnceItsClaimHasEnded() {
		Claim claim = claimOnA();
		try (ClaimScope scope = ClaimScope.reconciling(claim)) {
			assertThat(this.fence.admit(child("POST", null))).isNotNull();
			this.claims.lost(SECRETS.groupResource(), others("a"));
			assertThat(refused(child("POST", null)).gate()).isEqualTo(FenceGate.OBJECT);
		}
		assertThat(this.fence.admit(child("POST", null))).isNotNull();
	}

	@Test
	void theClaimGoesAlongToOtherThreads() {
		Claim claim = claimOnA();
		Runnable admit = () -> this.fence.admit(child("POST", null));
		Runnable write;
		try (ClaimScope scope = ClaimScope.reconciling(claim)) {
			write = ContextSnapshotFactory.builder().build().captureAll().wrap(admit);
		}
		CompletableFuture.runAsync(write).orTimeout(60, TimeUnit.SECONDS).join();
		this.claims.lost(SECRETS.groupResource(), others("a"));
		CompletableFuture<Void> late = CompletableFuture.runAsync(write).orTimeout(60, TimeUnit.SECONDS);
		assertThat(late).failsWithin(Duration.ofSeconds(60))
			.withThrowableThat()
			.withCauseInstanceOf(WriteFencedException.class);
		CompletableFuture.runAsync(() -> assertThat(ClaimScope.current()).isNull()).join();
	}

	@Test
	void anAcknowledgementPassesUntilItHasEnded() {
		Claim claim = this.claims.letGo(SECRETS.groupResource(), secret("a"));
		assertThat(refused(write("PATCH", SECRETS, "a")).gate()).isEqualTo(FenceGate.OBJECT);
		try (ClaimScope scope = ClaimScope.acknowledging(claim)) {
			assertThat(this.fence.admit(write("PATCH", SECRETS, "a"))).isNotNull();
			this.claims.ended(claim);
			assertThat(refused(write("PATCH", SECRETS, "a")).gate()).isEqualTo(FenceGate.OBJECT);
		}
	}

	@Test
	void withTheLeaseGateAloneEverythingIsAllowedAsLongAsTheLeaseIs() {
		WriteFence leader = WriteFence.ofLease("leader", () -> this.term, () -> this.now, FenceLaw.CONTRACT,
				this.meters);
		assertThat(leader.admit(write("PATCH", SECRETS, "b"))).isNotNull();
		this.term = null;
		assertThat(catchThrowableOfType(WriteFencedException.class, () -> leader.admit(write("PATCH", SECRETS, "b"))))
			.isNotNull();
	}

	@Test
	void aRefusalIsFoundInWhatItCaused() {
		WriteFencedException refusal = refused(write("PATCH", SECRETS, "b"));
		assertThat(WriteFencedException.isIn(new IllegalStateException(new RuntimeException(refusal)))).isTrue();
		assertThat(WriteFencedException.isIn(new IllegalStateException("other"))).isFalse();
	}

	private Claim claimOnA() {
		return Objects.requireNonNull(this.claims.of(SECRETS.groupResource(), new ObjectKey("ns", "a")));
	}

	private WriteFencedException refused(ApiRequest request) {
		WriteFencedException refusal = catchThrowableOfType(WriteFencedException.class,
				() -> this.fence.admit(request));
		assertThat(refusal).isNotNull();
		return refusal;
	}

	private double count(String gate) {
		return this.meters.get("sharding.fence.refused").tags("ring", "ring", "gate", gate).counter().count();
	}

	private static ApiRequest write(String method, ResourceType<?> type, String name) {
		return ApiRequest.of(method, type.path("ns", name), MediaTypes.MERGE_PATCH, "{}");
	}

	private static ApiRequest child(String method, @Nullable String name, OwnerReference... owners) {
		return ApiRequest.of(method, CONFIG_MAPS.path("ns", name), MediaTypes.JSON, "{}")
			.about(configMap(name, owners));
	}

	private static ConfigMap configMap(@Nullable String name, OwnerReference... owners) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.withOwnerReferences(List.of(owners))
			.endMetadata()
			.build();
	}

	private static OwnerReference owner(String name, boolean controller) {
		return new OwnerReferenceBuilder().withApiVersion("v1")
			.withKind("Secret")
			.withName(name)
			.withUid("uid-" + name)
			.withController(controller)
			.build();
	}

	private static ObjectMeta others(String name) {
		return new ObjectMetaBuilder(secret(name).getMetadata()).withResourceVersion("8")
			.addToLabels(ShardingLabels.shard("ring"), "s2")
			.build();
	}

	private static Secret secret(String name) {
		return new SecretBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName(name)
			.withResourceVersion("7")
			.addToLabels(ShardingLabels.shard("ring"), "s1")
			.endMetadata()
			.build();
	}

}
