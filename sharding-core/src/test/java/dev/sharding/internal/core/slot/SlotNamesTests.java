package dev.sharding.internal.core.slot;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SlotNamesTests {

	@Test
	void haveThreeDigits() {
		SlotNames names = new SlotNames("web", 1000);
		assertThat(names.name(0)).isEqualTo("web-000");
		assertThat(names.name(11)).isEqualTo("web-011");
		assertThat(names.name(999)).isEqualTo("web-999");
	}

	@Test
	void areReadBack() {
		SlotNames names = new SlotNames("web", 12);
		for (int slot = 0; slot < 12; slot++) {
			assertThat(names.number(names.name(slot))).hasValue(slot);
		}
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "web-012", "web-999", "web-1", "web-0001", "web-0a1", "web-00", "other-001", "web_001", "" })
	void otherNamesAreNone(String name) {
		assertThat(new SlotNames("web", 12).number(name)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 12 })
	void thereIsNoOtherSlot(int slot) {
		assertThatIllegalArgumentException().isThrownBy(() -> new SlotNames("web", 12).name(slot))
			.withMessageContaining("no slot " + slot);
	}

	@ParameterizedTest
	@CsvSource({ "web, 0, 1 to 1000 slots (is 0)", "web, 1001, 1 to 1000 slots (is 1001)", "'', 1, must not be empty",
			"Web, 1, lower-case", "-web, 1, lower-case" })
	void badNamesAreRefused(String prefix, int count, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> new SlotNames(prefix, count))
			.withMessageContaining(message);
	}

	@Test
	void aPrefixHasRoomForTheNumber() {
		assertThat(new SlotNames("p".repeat(59), 1).name(0)).hasSize(63);
		assertThatIllegalArgumentException().isThrownBy(() -> new SlotNames("p".repeat(60), 1))
			.withMessageContaining("at most 63 characters");
	}

	@Test
	void ringsAndNamespacesHavePrefixesOfTheirOwn() {
		assertThat(SlotNames.defaultPrefix("ring", "one")).isEqualTo(SlotNames.defaultPrefix("ring", "one"))
			.matches("ring-[0-9a-f]{6}")
			.isNotEqualTo(SlotNames.defaultPrefix("ring", "two"))
			.isNotEqualTo(SlotNames.defaultPrefix("gnir", "one"));
	}

}
