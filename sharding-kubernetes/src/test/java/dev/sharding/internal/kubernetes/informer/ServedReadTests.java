package dev.sharding.internal.kubernetes.informer;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import dev.sharding.internal.kubernetes.informer.store.MetadataSnapshot;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What differs between the answer of a read at version 7 and the API server at that
 * version.
 */
class ServedReadTests {

	private static final Predicate<ObjectKey> ALL = (key) -> true;

	private static final Predicate<ObjectKey> NONE = (key) -> false;

	private static final MetadataSnapshot THERE = new MetadataSnapshot("7",
			Map.of(key("n", "a"), "3", key("n", "b"), "7"));

	@Test
	void findsNothingInWhatWas() {
		assertThat(differing("", ALL, Set.of(), map("n", "a", "3"), map("n", "b", "7"))).isEmpty();
	}

	@Test
	void findsWhatIsOlderWhatIsMissingAndWhatIsTooMuch() {
		assertThat(differing("", ALL, Set.of(), map("n", "a", "2"), map("n", "b", "7"))).containsExactly(key("n", "a"));
		assertThat(differing("", ALL, Set.of(), map("n", "a", "3"))).containsExactly(key("n", "b"));
		assertThat(differing("", ALL, Set.of(), map("n", "a", "3"), map("n", "b", "7"), map("n", "c", "5")))
			.containsExactly(key("n", "c"));
	}

	@Test
	void missesOnlyWhatWasAskedFor() {
		assertThat(differing("", NONE, Set.of(), map("n", "a", "3"))).isEmpty();
		assertThat(differing("", key("n", "a")::equals, Set.of(), map("n", "a", "3"))).isEmpty();
		assertThat(differing("", key("n", "a")::equals, Set.of())).containsExactly(key("n", "a"));
		assertThat(differing("", key("n", "c")::equals, Set.of())).isEmpty();
	}

	@Test
	void takesWhatIsNewerForRight() {
		assertThat(differing("", ALL, Set.of(), map("n", "a", "8"), map("n", "b", "7"), map("n", "c", "9"))).isEmpty();
	}

	@Test
	void leavesOutOtherPartsAndWhatDoesNotFit() {
		assertThat(differing("n", ALL, Set.of(), map("n", "a", "3"), map("n", "b", "7"), map("m", "a", "1"))).isEmpty();
		assertThat(differing("", ALL, Set.of(key("n", "a"), key("n", "b")), map("n", "a", "1"))).isEmpty();
	}

	private static List<ObjectKey> differing(String part, Predicate<ObjectKey> asked, Set<ObjectKey> unfit,
			ConfigMap... objects) {
		return new ArrayList<>(
				InconsistencyCheck.compare(new ServedRead(part, "7", asked, List.of(objects), unfit), THERE)
					.differing());
	}

	private static ObjectKey key(String namespace, String name) {
		return new ObjectKey(namespace, name);
	}

	private static ConfigMap map(String namespace, String name, String version) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(namespace)
			.withName(name)
			.withResourceVersion(version)
			.endMetadata()
			.build();
	}

}
