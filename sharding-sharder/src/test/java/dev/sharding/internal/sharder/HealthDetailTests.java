package dev.sharding.internal.sharder;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HealthDetailTests {

	@Test
	void showsAllOfAFew() {
		assertThat(
				HealthDetail.of(new TreeMap<>(Map.of("b", new TreeMap<>(Map.of("secrets", "forbidden")), "a", "lost"))))
			.isEqualTo(Map.of("a", "lost", "b", Map.of("secrets", "forbidden")));
		assertThat(HealthDetail.of(numbered(HealthDetail.MOST))).hasSize(HealthDetail.MOST).doesNotContainKey("...");
	}

	@Test
	void showsTheFirstOfManyAndHowManyMoreThereAre() {
		Map<String, Object> shown = HealthDetail.of(numbered(5000));
		assertThat(shown).hasSize(HealthDetail.MOST + 1).containsEntry("...", "4990 more");
		assertThat(shown.keySet()).startsWith("ring-1000", "ring-1001").endsWith("...");
	}

	@Test
	void boundsWhatIsInsideAsWell() {
		Map<String, Object> shown = HealthDetail.of(new TreeMap<>(Map.of("a", numbered(1000))));
		assertThat(shown.get("a")).asInstanceOf(InstanceOfAssertFactories.MAP)
			.hasSize(HealthDetail.MOST + 1)
			.containsEntry("...", "990 more");
	}

	private static SortedMap<String, String> numbered(int count) {
		SortedMap<String, String> all = new TreeMap<>();
		for (int i = 0; i < count; i++) {
			all.put("ring-" + (1000 + i), "forbidden");
		}
		return all;
	}

}
