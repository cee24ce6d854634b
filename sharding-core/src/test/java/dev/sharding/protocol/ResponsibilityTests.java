package dev.sharding.protocol;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ResponsibilityTests {

	private static final String RING = "my-ring";

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "95 ours, a, , RECONCILE", "94 ours and drained, a, true, ACKNOWLEDGE_DRAIN",
			"94 only the presence of the drain label counts, a, '', ACKNOWLEDGE_DRAIN",
			"93 another shard's, b, , NOT_MINE", "124 another shard's and drained, b, true, NOT_MINE",
			"93 unassigned, , , NOT_MINE", "unassigned and drained, , true, NOT_MINE" })
	void judges(String scenario, String shard, String drain, Responsibility expected) {
		assertThat(Responsibility.of(labels(shard, drain), RING, "a")).isEqualTo(expected);
	}

	@Test
	@DisplayName("92 an absent object, or one without labels, is not ours")
	void judgesObjectWithoutLabels() {
		assertThat(Responsibility.of(null, RING, "a")).isEqualTo(Responsibility.NOT_MINE);
		assertThat(Responsibility.of(Map.of(), RING, "a")).isEqualTo(Responsibility.NOT_MINE);
	}

	@Test
	void labelsOfOtherRingsDoNotCount() {
		Map<String, String> labels = labels("a", null);
		labels.put(ShardingLabels.drain("other"), "true");
		assertThat(Responsibility.of(labels, RING, "a")).isEqualTo(Responsibility.RECONCILE);
		assertThat(Responsibility.of(labels, "other", "a")).isEqualTo(Responsibility.NOT_MINE);
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource({ "90 filters refuse a drained object, a, true, false, true",
			"90 filters refuse an assigned object, a, , false, false",
			"91 filters accept a drained object, a, true, true, true",
			"91 filters accept an assigned object, a, , true, true",
			"filters accept another shard's object, b, true, true, false" })
	void filtersEvents(String scenario, String shard, String drain, boolean passesFilters, boolean expected) {
		assertThat(Responsibility.passesEvent(labels(shard, drain), RING, "a", passesFilters)).isEqualTo(expected);
	}

	private static Map<String, String> labels(String shard, String drain) {
		Map<String, String> labels = new HashMap<>();
		if (shard != null) {
			labels.put(ShardingLabels.shard(RING), shard);
		}
		if (drain != null) {
			labels.put(ShardingLabels.drain(RING), drain);
		}
		return labels;
	}

}
