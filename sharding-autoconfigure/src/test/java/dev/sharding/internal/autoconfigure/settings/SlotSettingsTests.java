package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SlotSettingsTests {

	@Test
	void withoutSlotsAShardHasANameOfItsOwnAndNoGrace() {
		ShardSettings settings = settings(Map.of());
		assertThat(settings.slots()).isNull();
		LeaseHolderConfig lease = Objects.requireNonNull(settings.lease());
		assertThat(lease.notes()).isNull();
		assertThat(lease.labels()).doesNotContainKey(ShardingLabels.POD);
	}

	@Test
	void slotsAreNamedAfterTheRingAndTheNamespace() {
		SlotOptions slots = slots(Map.of("sharding.slots", "3"));
		assertThat(slots.names().count()).isEqualTo(3);
		assertThat(slots.names().name(2)).matches("checksums-[0-9a-f]{6}-002");
		assertThat(slots.grace()).isEqualTo(Duration.ofSeconds(30));
		assertThat(slots.slotWait()).isEqualTo(Duration.ofSeconds(30));
		assertThat(slots.pod()).isEqualTo("pod-1");
		assertThat(slots.electionNamespace()).isEqualTo("sharding-system");
		assertThat(slots.electionLease()).isEqualTo("sharder");
	}

	@Test
	void everythingCanBeSet() {
		SlotOptions slots = slots(Map.of("sharding.slots", "1000", "sharding.slot-prefix", "own", "sharding.slot-wait",
				"5s", "sharding.lease.grace", "0s", "sharding.pod-template-hash", "abc"));
		assertThat(slots.names().name(999)).isEqualTo("own-999");
		assertThat(slots.slotWait()).isEqualTo(Duration.ofSeconds(5));
		assertThat(slots.grace()).isZero();
		assertThat(slots.template()).isEqualTo("abc");
	}

	@Test
	void furtherRingsHaveSlotsOfTheirOwn() {
		SlotOptions slots = Objects.requireNonNull(
				ShardSettings
					.further("other",
							properties(Map.of("sharding.slots", "2", "sharding.slot-prefix", "own",
									"sharding.rings.other.lease-namespace", "there")),
							"ns", () -> "pod-1", ElectionLease.DEFAULT)
					.slots());
		assertThat(slots.names().name(0)).isEqualTo("own-other-000");
		assertThat(slots.ring()).isEqualTo("other");
		assertThat(slots.namespace()).isEqualTo("there");
	}

	@Test
	void aShardOfItsOwnNameCanHaveAGrace() {
		LeaseHolderConfig lease = Objects.requireNonNull(settings(Map.of("sharding.lease.grace", "20s")).lease());
		assertThat(Objects.requireNonNull(lease.notes()).grace()).isEqualTo(Duration.ofSeconds(20));
		assertThat(lease.notes().slots()).isZero();
		assertThat(lease.labels()).containsEntry(ShardingLabels.POD, "pod-1");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					sharding.slots=-1                              | sharding.slots must be from 1 to 1000   | Set sharding.slots
					sharding.slots=1001                            | sharding.slots must be from 1 to 1000   | Set sharding.slots
					sharding.slots=3,sharding.shard-name=a         | a shard has the name of its slot          | Remove sharding.shard-name
					sharding.slots=3,sharding.slot-prefix=Not_A    | cannot bear their names                   | Set sharding.slot-prefix
					sharding.slots=3,sharding.slot-wait=2h         | sharding.slot-wait must be              | Set sharding.slot-wait
					sharding.slots=3,sharding.slot-wait=-1s        | sharding.slot-wait must be              | Set sharding.slot-wait
					sharding.slots=3,sharding.lease.grace=6m       | sharding.lease.grace must be            | Set sharding.lease.grace
					sharding.lease.grace=1500ms                    | sharding.lease.grace must be            | Set sharding.lease.grace
					""")
	void whatCannotWorkSaysWhatToDo(String set, String message, String action) {
		Map<String, String> properties = new HashMap<>();
		for (String one : set.split(",")) {
			properties.put(one.split("=")[0], one.split("=")[1]);
		}
		assertThatExceptionOfType(ShardingStartupException.class).isThrownBy(() -> settings(properties))
			.satisfies((ex) -> assertThat(ex.description().replace("'", "")).contains(message))
			.satisfies((ex) -> assertThat(ex.action().replace("'", "")).contains(action));
	}

	@Test
	void aPrefixThatIsTooLongSaysHowLongItMayBe() {
		assertThatExceptionOfType(ShardingStartupException.class)
			.isThrownBy(() -> settings(Map.of("sharding.slots", "3", "sharding.slot-prefix", "p".repeat(60))))
			.withMessageContaining("at most 63 characters")
			.satisfies((ex) -> assertThat(ex.action()).contains("at most 59"));
		assertThat(slots(Map.of("sharding.slots", "3", "sharding.slot-prefix", "p".repeat(59))).names().name(0))
			.hasSize(63);
	}

	private static SlotOptions slots(Map<String, String> set) {
		return Objects.requireNonNull(settings(set).slots());
	}

	private static ShardSettings settings(Map<String, String> set) {
		return ShardSettings.of(properties(set), "ns", () -> "pod-1", ElectionLease.DEFAULT);
	}

	private static ShardingProperties properties(Map<String, String> set) {
		Map<String, String> all = new HashMap<>(set);
		all.put("sharding.ring", "checksums");
		return new Binder(new MapConfigurationPropertySource(all)).bindOrCreate("sharding", ShardingProperties.class);
	}

}
