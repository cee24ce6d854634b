package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a store shows what a selector selects, and what it shows then.
 */
class SelectionTests {

	private static final LabelQuery RED = new LabelQuery("color=red", (labels) -> "red".equals(labels.get("color")));

	private static final LabelQuery NOT_RED = new LabelQuery("color!=red",
			(labels) -> !"red".equals(labels.get("color")));

	private final Store<ConfigMap> store = new Store<>(Set.of("n", "m"), Map.of(), (event) -> {
	});

	private final StorePart<ConfigMap> part = part("n");

	private final List<String> met = new ArrayList<>();

	SelectionTests() {
		this.part.replace(StorePartTests.listed(10));
		part("m").replace(StorePartTests.listed(12));
	}

	@Test
	void waitsForWhatIsListedWhateverItLooksLikeInTheStore() {
		this.part.put(object("n", "a", 11, "blue"));
		expect(RED, 20, Map.of("a", "15"));
		assertThat(this.met).isEmpty();
		this.part.put(object("n", "a", 15, "red"));
		assertThat(this.met).containsExactly("20");
		assertThat(this.part.watermark()).isEqualTo("15");
	}

	@Test
	void waitsUntilWhatIsNotListedNoLongerMatches() {
		this.part.put(object("n", "a", 11, "red"));
		expect(RED, 20, Map.of());
		assertThat(this.met).isEmpty();
		this.part.put(object("n", "a", 15, "blue"));
		assertThat(this.met).containsExactly("20");
	}

	@Test
	void doesNotWaitForWhatDoesNotMatch() {
		this.part.put(object("n", "a", 11, "blue"));
		expect(RED, 20, Map.of());
		assertThat(this.met).containsExactly("20");
	}

	@Test
	void anObjectWithoutLabelsMatchesWhereThatIsWanted() {
		this.part.put(object("n", "a", 11, null));
		expect(NOT_RED, 20, Map.of());
		assertThat(this.met).isEmpty();
		this.part.remove(object("n", "a", 16, null));
		assertThat(this.met).containsExactly("20");
	}

	/** A reader is told of it in any case. */
	@Test
	void doesNotWaitForWhatNoLongerFitsAndIsNotListed() {
		this.part.put(object("n", "a", 11, "red"));
		this.part.skip(ObjectFacts.of(object("n", "a", 12, "red")).toMetadata(), false);
		expect(RED, 20, Map.of());
		assertThat(this.met).containsExactly("20");
		assertThat(this.part.selected(RED, "20").undecodable()).hasSize(1);
	}

	@Test
	void isTheStateOfTheMomentOverAllNamespacesAndAsOldAsTheOldest() {
		Selection<ConfigMap> selection = new Selection<>(RED, this.store, Map.of());
		assertThat(selection.result()).isNull();
		this.part.put(object("n", "a", 11, "red"));
		this.part.put(object("n", "b", 12, "blue"));
		part("m").put(object("m", "c", 13, "red"));
		this.store.write(() -> selection.take("n", "20"));
		this.part.put(object("n", "b", 14, "red"));
		this.store.write(() -> selection.take("n", "21"));
		part("m").put(object("m", "d", 15, "red"));
		Selected<ConfigMap> selected = Objects.requireNonNull(selection.result());
		assertThat(selected.objects()).extracting((object) -> object.getMetadata().getName())
			.containsExactlyInAnyOrder("a", "c", "d");
		assertThat(selected.version()).isEqualTo("15");
	}

	@Test
	void isWhatTheFlightBeforeHasFoundAsLongAsNothingIsWritten() {
		this.part.put(object("n", "a", 11, "red"));
		Selection<ConfigMap> first = new Selection<>(RED, this.store, Map.of());
		assertThat(first.takeAgain("n", "20")).isFalse();
		this.store.write(() -> first.take("n", "20"));
		// An event for what the list has shown already may come late.
		this.part.put(object("n", "b", 12, "red"));
		Selection<ConfigMap> second = new Selection<>(RED, this.store, first.taken());
		assertThat(second.takeAgain("m", "20")).isFalse();
		assertThat(second.takeAgain("n", "21")).isFalse();
		assertThat(second.result()).isNull();
		assertThat(second.takeAgain("n", "20")).isTrue();
		assertThat(second.taken()).isEqualTo(first.taken());
		assertThat(second.taken().get("n").objects()).extracting((object) -> object.getMetadata().getName())
			.containsExactly("a");
	}

	private void expect(LabelQuery query, int version, Map<String, String> listed) {
		Map<ObjectKey, String> objects = new HashMap<>();
		listed.forEach((name, written) -> objects.put(new ObjectKey("n", name), written));
		this.part.expect(Expectation.ofSelected(query, String.valueOf(version), objects,
				() -> this.met.add(String.valueOf(version))));
	}

	private StorePart<ConfigMap> part(String namespace) {
		return this.store.parts()
			.stream()
			.filter((part) -> part.namespace().equals(namespace))
			.findFirst()
			.orElseThrow();
	}

	private static ConfigMap object(String namespace, String name, int version, @Nullable String color) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(namespace)
			.withName(name)
			.withUid("uid-" + name)
			.withResourceVersion(String.valueOf(version))
			.withLabels((color != null) ? Map.of("color", color) : null)
			.endMetadata()
			.build();
	}

}
