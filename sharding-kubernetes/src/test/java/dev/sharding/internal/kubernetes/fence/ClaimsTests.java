package dev.sharding.internal.kubernetes.fence;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import dev.sharding.internal.core.fence.ClaimState;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimsTests {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ObjectKey A = new ObjectKey("ns", "a");

	private final Map<ObjectKey, Secret> store = new ConcurrentHashMap<>();

	private final Map<ObjectKey, ObjectMeta> unfit = new ConcurrentHashMap<>();

	private volatile Moment now = new Moment(Instant.parse("2026-01-01T00:00:00Z"), 0);

	private final Claims claims = new Claims("ring", "s1", () -> this.now);

	private final InformerHandler<Secret> observer = this.claims.follow(SECRETS, this.store::get, this.unfit::get);

	@Test
	void noneBeginsBeforeTheTermAndNoneSurvivesIt() {
		put("1", "s1", false);
		assertThat(claim()).isNull();
		this.claims.open();
		Claim first = claim();
		assertThat(state(first)).isEqualTo(ClaimState.LIVE);
		this.claims.end();
		assertThat(state(first)).isEqualTo(ClaimState.ENDED);
		assertThat(claim()).isNull();
		this.claims.open();
		assertThat(claim()).isNotNull().isNotSameAs(first);
		assertThat(state(first)).isEqualTo(ClaimState.ENDED);
	}

	@Test
	void beginsOnlyForWhatIsOurs() {
		this.claims.open();
		assertThat(claim()).isNull();
		put("1", "s2", false);
		assertThat(claim()).isNull();
		put("2", null, false);
		assertThat(claim()).isNull();
		put("3", "s1", false);
		assertThat(claim()).isNotNull().isSameAs(claim());
		assertThat(this.claims.of(ResourceType.of(ConfigMap.class).groupResource(), A)).isNull();
	}

	@Test
	void lastsWhileTheDrainIsNotAcknowledged() {
		this.claims.open();
		put("1", "s1", false);
		Claim claim = claim();
		put("2", "s1", true);
		assertThat(claim()).isSameAs(claim);
		assertThat(state(claim)).isEqualTo(ClaimState.LIVE);
	}

	@Test
	void endsWithTheObjectAndDoesNotComeBackWithIt() {
		this.claims.open();
		put("1", "s1", false);
		Claim claim = claim();
		remove();
		assertThat(state(claim)).isEqualTo(ClaimState.ENDED);
		assertThat(claim()).isNull();
		put("5", "s1", false);
		assertThat(claim()).isNotNull().isNotSameAs(claim);
		assertThat(state(claim)).isEqualTo(ClaimState.ENDED);
	}

	@Test
	void endsWhenAnotherOwnerIsSeen() {
		this.claims.open();
		put("1", "s1", false);
		Claim claim = claim();
		put("2", "s2", false);
		assertThat(state(claim)).isEqualTo(ClaimState.ENDED);
		assertThat(claim()).isNull();
	}

	@Test
	void endsBeforeTheDrainIsAcknowledgedAndUntilSomethingNewerIsSeen() {
		this.claims.open();
		Secret drained = put("1", "s1", true);
		Claim claim = claim();
		Claim letGo = this.claims.letGo(SECRETS.groupResource(), drained);
		assertThat(letGo).isSameAs(claim);
		assertThat(state(letGo)).isEqualTo(ClaimState.LETTING_GO);
		assertThat(claim()).isNull();
		this.now = new Moment(this.now.wall().plusSeconds(2), this.now.nanos());
		this.claims.ended(letGo);
		assertThat(letGo.at(this.now)).isEqualTo(new Claimed(ClaimState.ENDED, Duration.ofSeconds(2)));
		assertThat(claim()).isNull();
		put("2", "s1", false);
		assertThat(claim()).isNotNull();
	}

	@Test
	void doesNotBeginWithWhatIsOlderThanTheDrainThatWasAcknowledged() {
		this.claims.open();
		put("1", "s1", true);
		Secret written = secret("3", "s1", true);
		this.claims.ended(this.claims.letGo(SECRETS.groupResource(), written));
		assertThat(claim()).isNull();
		put("2", "s1", true);
		assertThat(claim()).isNull();
		put("3", "s1", true);
		assertThat(claim()).isNull();
		put("5", "s1", false);
		assertThat(claim()).isNotNull();
	}

	@Test
	void beginsAnewWhenARestoreHasUndoneTheDrain() {
		this.claims.open();
		put("7", "s1", true);
		this.claims.ended(this.claims.letGo(SECRETS.groupResource(), secret("8", "s1", true)));
		put("5", "s1", false);
		assertThat(claim()).isNotNull();
	}

	@Test
	void anAcknowledgementCanBeRepeated() {
		this.claims.open();
		Secret drained = put("1", "s1", true);
		this.claims.ended(this.claims.letGo(SECRETS.groupResource(), drained));
		Claim again = this.claims.letGo(SECRETS.groupResource(), drained);
		assertThat(state(again)).isEqualTo(ClaimState.LETTING_GO);
	}

	@Test
	void endsWhenAnAnswerShowsAnotherOwnerBeforeTheWatchDoes() {
		this.claims.open();
		put("1", "s1", false);
		Claim claim = claim();
		this.claims.lost(SECRETS.groupResource(), secret("2", "s2", false).getMetadata());
		assertThat(state(claim)).isEqualTo(ClaimState.ENDED);
		assertThat(claim()).isNull();
		remove();
		put("3", "s1", false);
		assertThat(claim()).isNotNull();
	}

	@Test
	void doesNotEndByAnAnswerThatIsOlderThanWhatTheWatchTold() {
		this.claims.open();
		put("3", "s1", false);
		Claim claim = claim();
		this.claims.lost(SECRETS.groupResource(), secret("2", "s2", false).getMetadata());
		assertThat(state(claim)).isEqualTo(ClaimState.LIVE);
		assertThat(claim()).isSameAs(claim);
	}

	@Test
	void doesNotEndByAnAnswerThatShowsThatItIsOurs() {
		this.claims.open();
		put("3", "s1", false);
		Claim claim = claim();
		this.claims.lost(SECRETS.groupResource(), secret("3", "s1", false).getMetadata());
		assertThat(claim()).isSameAs(claim);
		assertThat(state(claim)).isEqualTo(ClaimState.LIVE);
	}

	@Test
	void doesNotBeginAnewWhereOneOfTwoClassesIsBehindTheAnswer() {
		Map<ObjectKey, Secret> other = new ConcurrentHashMap<>();
		this.claims.follow(SECRETS, other::get, (key) -> null);
		this.claims.open();
		other.put(A, put("1", "s1", false));
		assertThat(claim()).isNotNull();
		put("2", "s1", false);
		this.claims.lost(SECRETS.groupResource(), secret("3", "s2", false).getMetadata());
		other.put(A, secret("2", "s1", false));
		assertThat(claim()).isNull();
	}

	@Test
	void aResourceReadAsTwoClassesIsOursOnlyWhereBothAgree() {
		Map<ObjectKey, Secret> other = new ConcurrentHashMap<>();
		this.claims.follow(SECRETS, other::get, (key) -> null);
		this.claims.open();
		Secret secret = put("1", "s1", false);
		assertThat(claim()).isNull();
		other.put(A, secret);
		assertThat(claim()).isNotNull();
	}

	@Test
	void whatDoesNotFitOneOfTwoClassesIsOursAllTheSame() {
		Map<ObjectKey, ObjectMeta> otherUnfit = new ConcurrentHashMap<>();
		this.claims.follow(SECRETS, (key) -> null, otherUnfit::get);
		this.claims.open();
		Secret secret = put("1", "s1", false);
		otherUnfit.put(A, secret.getMetadata());
		Claim claim = claim();
		assertThat(state(claim)).isEqualTo(ClaimState.LIVE);
		otherUnfit.remove(A);
		remove();
		assertThat(state(claim)).isEqualTo(ClaimState.ENDED);
	}

	@Test
	void whatFitsNoClassIsNotOursButAClaimOnItEndsWithItsLabel() {
		this.claims.open();
		Claim claim = claimOn(put("1", "s1", false));
		unfit("2", "s1");
		assertThat(state(claim)).isEqualTo(ClaimState.LIVE);
		unfit("3", "s2");
		assertThat(state(claim)).isEqualTo(ClaimState.ENDED);
		unfit("4", "s1");
		assertThat(claim()).isNull();
	}

	@Test
	void noClaimSurvivesARaceWithItsEnd() throws Exception {
		this.claims.open();
		ExecutorService other = Executors.newSingleThreadExecutor();
		try {
			int wonByTheClaim = 0;
			// Until both outcomes were seen often, so that the race was one.
			for (int i = 0; i < 3000 || wonByTheClaim < 30 || i - wonByTheClaim < 30; i++) {
				assertThat(i).as("rounds with %d claims", wonByTheClaim).isLessThan(300_000);
				Secret secret = put(String.valueOf(2 * i), "s1", true);
				CountDownLatch ready = new CountDownLatch(1);
				Future<@Nullable Claim> raced = other.submit(() -> {
					ready.countDown();
					return claim();
				});
				ready.await();
				switch (i % 3) {
					case 0 -> remove();
					case 1 -> this.claims.letGo(SECRETS.groupResource(), secret);
					default -> this.claims.end();
				}
				Claim claim = raced.get(60, TimeUnit.SECONDS);
				if (claim != null) {
					wonByTheClaim++;
					assertThat(state(claim)).isNotEqualTo(ClaimState.LIVE);
				}
				assertThat(claim()).isNull();
				remove();
				this.claims.open();
			}
		}
		finally {
			other.shutdownNow();
		}
	}

	private @Nullable Claim claimOn(Secret secret) {
		return this.claims.of(SECRETS.groupResource(), ObjectKey.of(secret));
	}

	/** The object changes to what does not fit its class. */
	private void unfit(String version, String shard) {
		ObjectMeta metadata = new SecretBuilder().withNewMetadata()
			.withNamespace(A.namespace())
			.withName(A.name())
			.withResourceVersion(version)
			.addToLabels(ShardingLabels.shard("ring"), shard)
			.endMetadata()
			.build()
			.getMetadata();
		this.unfit.put(A, metadata);
		this.observer.onEvent(new InformerEvent.Undecodable<>(metadata));
	}

	private @Nullable Claim claim() {
		return this.claims.of(SECRETS.groupResource(), A);
	}

	private ClaimState state(@Nullable Claim claim) {
		assertThat(claim).isNotNull();
		return claim.at(this.now).state();
	}

	private static Secret secret(String version, @Nullable String shard, boolean drained) {
		SecretBuilder builder = new SecretBuilder().withNewMetadata()
			.withNamespace(A.namespace())
			.withName(A.name())
			.withResourceVersion(version)
			.endMetadata();
		if (shard != null) {
			builder.editMetadata().addToLabels(ShardingLabels.shard("ring"), shard).endMetadata();
		}
		if (drained) {
			builder.editMetadata().addToLabels(ShardingLabels.drain("ring"), "true").endMetadata();
		}
		return builder.build();
	}

	private Secret put(String version, @Nullable String shard, boolean drained) {
		Secret after = secret(version, shard, drained);
		Secret before = this.store.put(A, after);
		this.observer.onEvent((before != null) ? new InformerEvent.Updated<>(before, after, false)
				: new InformerEvent.Added<>(after, false));
		return after;
	}

	private void remove() {
		Secret last = this.store.remove(A);
		if (last != null) {
			this.observer.onEvent(new InformerEvent.Removed<>(last, false));
		}
	}

}
