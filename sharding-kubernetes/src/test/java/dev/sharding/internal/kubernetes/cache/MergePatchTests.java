package dev.sharding.internal.kubernetes.cache;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MergePatchTests {

	@Test
	void nothingChangedIsAnEmptyPatch() {
		assertThat(MergePatch.between(Map.of("a", Map.of("b", 1)), Map.of("a", Map.of("b", 1)))).isEmpty();
	}

	@Test
	void takesOffWhatIsGoneAndSetsWhatIsNew() {
		Map<String, Object> removed = new HashMap<>();
		removed.put("x", null);
		removed.put("y", 2);
		assertThat(MergePatch.between(Map.of("data", Map.of("x", 1), "kept", 1),
				Map.of("data", Map.of("y", 2), "kept", 1)))
			.isEqualTo(Map.of("data", removed));
	}

	@Test
	void replacesListsAsAWhole() {
		assertThat(MergePatch.between(Map.of("l", List.of(1, 2)), Map.of("l", List.of(2))))
			.isEqualTo(Map.of("l", List.of(2)));
	}

	@Property
	void applyingThePatchGivesTheWantedState(@ForAll("objects") Map<String, Object> before,
			@ForAll("objects") Map<String, Object> after) {
		assertThat(applied(before, MergePatch.between(before, after))).isEqualTo(after);
	}

	@Provide
	Arbitrary<Map<String, Object>> objects() {
		return object(3);
	}

	private static Arbitrary<Map<String, Object>> object(int depth) {
		Arbitrary<Object> leaf = Arbitraries.of(1, 2, "a", "b", true, List.of(1), List.of(1, 2));
		Arbitrary<Object> value = (depth == 0) ? leaf
				: Arbitraries.frequencyOf(Tuple.of(2, leaf), Tuple.of(1, object(depth - 1).map((map) -> (Object) map)));
		return Arbitraries.maps(Arbitraries.of("k", "l", "m"), value).ofMaxSize(3);
	}

	/** RFC 7396, section 2. */
	private static Map<String, Object> applied(Map<?, ?> target, Map<?, ?> patch) {
		Map<String, Object> result = new LinkedHashMap<>();
		target.forEach((name, value) -> result.put((String) name, value));
		for (Map.Entry<?, ?> entry : new ArrayList<>(patch.entrySet())) {
			String name = (String) entry.getKey();
			if (entry.getValue() == null) {
				result.remove(name);
			}
			else if (entry.getValue() instanceof Map<?, ?> below) {
				result.put(name, applied((result.get(name) instanceof Map<?, ?> map) ? map : Map.of(), below));
			}
			else {
				result.put(name, entry.getValue());
			}
		}
		return result;
	}

}
