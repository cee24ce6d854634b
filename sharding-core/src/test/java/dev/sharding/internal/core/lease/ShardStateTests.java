package dev.sharding.internal.core.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

import dev.sharding.internal.core.Golden;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

class ShardStateTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00.123456Z");

	@TestFactory
	Stream<DynamicTest> judgesGoldenLeases() {
		return Golden.cases("leaseStates")
			.map((vector) -> DynamicTest.dynamicTest(vector.get("case").stringValue(), () -> {
				LeaseRecord lease = lease(vector);
				ShardState state = ShardState.of(lease, NOW);
				assertThat(state.label()).isEqualTo(vector.get("state").stringValue());
				assertThat(state.isAvailable()).isEqualTo(vector.get("available").asBoolean());
				assertThat(LeaseTimes.of(lease, NOW)).isEqualTo(new LeaseTimes(
						seconds(vector, "effectiveLeaseDurationSeconds"), seconds(vector, "toExpiredSeconds"),
						seconds(vector, "toUncertainSeconds"), seconds(vector, "toOrphanedSeconds")));
			}));
	}

	@ParameterizedTest
	@CsvSource({ "READY, ready", "EXPIRED, expired", "UNCERTAIN, uncertain", "DEAD, dead", "ORPHANED, orphaned",
			"UNKNOWN, unknown" })
	@DisplayName("32 state names, both ways")
	void readsItsOwnLabel(ShardState state, String label) {
		assertThat(state.label()).isEqualTo(label);
		assertThat(ShardState.ofLabel(label)).isEqualTo(state);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "READY", "alive" })
	@DisplayName("32 any other label value is unknown")
	void readsOtherLabelsAsUnknown(String label) {
		assertThat(ShardState.ofLabel(label)).isEqualTo(ShardState.UNKNOWN);
	}

	@ParameterizedTest
	@CsvSource({ "UNKNOWN, false", "ORPHANED, false", "DEAD, false", "UNCERTAIN, true", "EXPIRED, true",
			"READY, true" })
	@DisplayName("33/34 unknown, orphaned and dead are unavailable, the others available")
	void isAvailableFromUncertainUp(ShardState state, boolean available) {
		assertThat(state.isAvailable()).isEqualTo(available);
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(nullValues = "null", value = { "35 ready, shard-a, -10, -2, 15, READY",
			"36 expired, shard-a, -60, -15, 15, EXPIRED", "37 acquireTime missing, shard-a, null, -2, 15, EXPIRED",
			"38 renewTime missing, shard-a, -10, null, 15, EXPIRED",
			"39 duration missing, shard-a, -10, -2, null, EXPIRED",
			"40 uncertain after another duration, shard-a, -60, -30, 15, UNCERTAIN",
			"41 dead when released with empty holder, '', -10, -2, 15, DEAD",
			"41 dead when released with null holder, null, -10, -2, 15, DEAD",
			"42 dead when taken by the sharder, shardlease-controller, -2, -2, 30, DEAD",
			"43 orphaned 1 min + duration after release, '', -61, -61, 1, ORPHANED",
			"43 not yet orphaned, '', -60, -60, 1, DEAD",
			"44 orphaned 1 min after the sharder's lease ran out, shardlease-controller, -90, -90, 30, ORPHANED",
			"44 not yet orphaned, shardlease-controller, -89, -89, 30, DEAD" })
	void judges(String scenario, String holder, Long acquired, Long renewed, Integer duration, ShardState state) {
		assertThat(ShardState.of(lease(holder, acquired, renewed, duration), NOW)).isEqualTo(state);
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(nullValues = "null",
			value = { "45 ready, shard-a, -2, 15, 15, 13, 28, 73",
					"46 taken, shardlease-controller, -2, 30, 30, 28, 58, 88", "47 released, '', -2, 1, 1, -1, 0, 59",
					"48 missing field, shard-a, null, 20, 15, 0, 15, 60" })
	void tellsTimes(String scenario, String holder, Long renewed, Integer seconds, long duration, long toExpired,
			long toUncertain, long toOrphaned) {
		assertThat(LeaseTimes.of(lease(holder, -10L, renewed, seconds), NOW))
			.isEqualTo(new LeaseTimes(Duration.ofSeconds(duration), Duration.ofSeconds(toExpired),
					Duration.ofSeconds(toUncertain), Duration.ofSeconds(toOrphaned)));
	}

	@Property
	void neverImprovesWhileTimePasses(@ForAll boolean held, @ForAll @LongRange(min = 0, max = 200_000) long earlier,
			@ForAll @LongRange(min = 0, max = 200_000) long later, @ForAll @IntRange(min = 1, max = 60) int duration) {
		LeaseRecord lease = lease(held ? "shard-a" : "", -60L, 0L, duration);
		ShardState before = ShardState.of(lease, NOW.plusMillis(Math.min(earlier, later)));
		ShardState after = ShardState.of(lease, NOW.plusMillis(Math.max(earlier, later)));
		assertThat(after).isLessThanOrEqualTo(before);
	}

	@Property
	void staysAvailableForTwoDurations(@ForAll @LongRange(min = 0, max = 119_999) long millis,
			@ForAll @IntRange(min = 1, max = 60) int duration) {
		ShardState state = ShardState.of(lease("shard-a", -60L, 0L, duration), NOW.plusMillis(millis));
		assertThat(state == ShardState.READY || state == ShardState.EXPIRED).isEqualTo(millis < 2000L * duration);
	}

	private static LeaseRecord lease(String holder, Long acquired, Long renewed, Integer duration) {
		return new LeaseRecord("shard-a", holder, (acquired != null) ? NOW.plusSeconds(acquired) : null,
				(renewed != null) ? NOW.plusSeconds(renewed) : null, duration, 0, null);
	}

	private static LeaseRecord lease(JsonNode vector) {
		JsonNode renewed = vector.get("renewTimeRelativeToNowSeconds");
		JsonNode duration = vector.get("leaseDurationSeconds");
		JsonNode holder = vector.get("holderIdentity");
		return new LeaseRecord(vector.get("leaseName").stringValue(), holder.isNull() ? null : holder.stringValue(),
				vector.get("acquireTimePresent").asBoolean() ? NOW : null,
				renewed.isNull() ? null : NOW.plus(seconds(vector, "renewTimeRelativeToNowSeconds")),
				duration.isNull() ? null : duration.asInt(), null, null);
	}

	private static Duration seconds(JsonNode vector, String field) {
		return Duration.of(Math.round(vector.get(field).asDouble() * 1e6), ChronoUnit.MICROS);
	}

}
