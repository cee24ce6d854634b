package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.convert.DurationStyle;

import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ShardSettingsTests {

	@Test
	void theTimesOfTheLeaseFollowItsDuration() {
		var usual = ShardSettings.timings(lease("15s", null, null));
		assertThat(usual.renewDeadline()).isEqualTo(Duration.ofSeconds(10));
		assertThat(usual.retryPeriod()).isEqualTo(Duration.ofSeconds(2));
		var shorter = ShardSettings.timings(lease("3s", null, null));
		assertThat(shorter.renewDeadline()).isEqualTo(Duration.ofSeconds(2));
		assertThat(shorter.retryPeriod()).isEqualTo(Duration.ofMillis(400));
		var own = ShardSettings.timings(lease("15s", "12s", "1s"));
		assertThat(own.renewDeadline()).isEqualTo(Duration.ofSeconds(12));
		assertThat(own.retryPeriod()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void aFieldManagerIsNeitherEmptyNorLongerThanTheApiServerTakes() {
		assertThat(ShardSettings.fieldManager("app")).isEqualTo("app");
		assertThat(ShardSettings.fieldManager(null)).isEqualTo("sharding");
		assertThat(ShardSettings.fieldManager(" ")).isEqualTo("sharding");
		assertThatExceptionOfType(ShardingStartupException.class)
			.isThrownBy(() -> ShardSettings.fieldManager("a".repeat(129)))
			.satisfies((ex) -> assertThat(ex.action()).contains("spring.application.name"));
	}

	@Test
	void theShardIsNamedAfterItsHostUnlessItHasAName() {
		assertThat(leaseOf("ring", null, "ns").identity()).isEqualTo("host-1");
		assertThat(leaseOf("ring", "own", "ns").identity()).isEqualTo("own");
		assertThat(leaseOf("ring", "own", "ns").leaseName()).isEqualTo("own");
		assertThat(leaseOf("ring", "own", "ns").labels()).containsEntry(ShardingLabels.LEASE_RING, "ring");
	}

	@Test
	void theLeaseLiesInTheNamespaceOfTheClientUnlessItIsSet() {
		assertThat(leaseOf("ring", "s", null).namespace()).isEqualTo("client-namespace");
		assertThat(leaseOf("ring", "s", "own").namespace()).isEqualTo("own");
		assertThatExceptionOfType(ShardingStartupException.class)
			.isThrownBy(() -> ShardSettings.of(properties("ring", "s", lease("15s", null, null)), null, () -> "host"))
			.satisfies((failure) -> assertThat(failure.action()).contains("sharding.lease.namespace"));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "", " ", "Ring", "a_b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" })
	void aBadRingIsNamed(String ring) {
		assertThatExceptionOfType(ShardingStartupException.class).isThrownBy(() -> settings(ring, "s", "ns"))
			.satisfies((failure) -> assertThat(failure.action()).contains("sharding.ring"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "Shard", "a_b", "-a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" })
	void aBadShardNameIsNamed(String name) {
		assertThatExceptionOfType(ShardingStartupException.class).isThrownBy(() -> settings("ring", name, "ns"))
			.satisfies((failure) -> {
				assertThat(failure.description()).contains(name);
				assertThat(failure.action()).contains("sharding.shard-name");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "0s", "-1s", "1500ms" })
	void anImpossibleDurationIsNamed(String duration) {
		assertThatExceptionOfType(ShardingStartupException.class)
			.isThrownBy(() -> ShardSettings.timings(lease(duration, null, null)))
			.satisfies((failure) -> assertThat(failure.action()).contains("sharding.lease.duration"));
	}

	@Test
	void impossibleTimesAreNamed() {
		assertThatExceptionOfType(ShardingStartupException.class)
			.isThrownBy(() -> ShardSettings.timings(lease("10s", "10s", null)))
			.withMessageContaining("renewDeadline");
		assertThatExceptionOfType(ShardingStartupException.class)
			.isThrownBy(() -> ShardSettings.timings(lease("10s", "5s", "5s")))
			.withMessageContaining("retryPeriod");
	}

	private static LeaseHolderConfig leaseOf(@Nullable String ring, @Nullable String shard,
			@Nullable String namespace) {
		return Objects.requireNonNull(settings(ring, shard, namespace).lease());
	}

	private static ShardSettings settings(@Nullable String ring, @Nullable String shard, @Nullable String namespace) {
		ShardingProperties.Lease usual = lease("15s", null, null);
		ShardingProperties.Lease lease = new ShardingProperties.Lease(namespace, usual.duration(),
				usual.renewDeadline(), usual.retryPeriod(), usual.onLoss(), usual.maxDuration(), null);
		return ShardSettings.of(properties(ring, shard, lease), "client-namespace", () -> "Host-1");
	}

	private static ShardingProperties properties(@Nullable String ring, @Nullable String shard,
			ShardingProperties.Lease lease) {
		return new ShardingProperties(true, true, ring, shard, 0, null, Duration.ofSeconds(30), null, List.of(),
				Map.of(), new ShardingProperties.RingDefinition(false, List.of(), Map.of()),
				ShardingProperties.OnStartupProblem.WAIT, ShardingProperties.Readiness.ONCE, lease,
				new ShardingProperties.Informer(Duration.ofMinutes(5), false),
				new ShardingProperties.Cache(null, Map.of(), "default", null, null),
				new ShardingProperties.Reconcile(10, Duration.ofMillis(5), Duration.ofSeconds(1000),
						Duration.ofHours(10), Duration.ofSeconds(20), true),
				new ShardingProperties.LeaderElection(true, null));
	}

	private static ShardingProperties.Lease lease(String duration, @Nullable String deadline, @Nullable String retry) {
		return new ShardingProperties.Lease(null, duration(duration), (deadline != null) ? duration(deadline) : null,
				(retry != null) ? duration(retry) : null, ShardingProperties.OnLoss.REJOIN, Duration.ofMinutes(10),
				null);
	}

	private static Duration duration(String text) {
		return DurationStyle.detectAndParse(text);
	}

}
