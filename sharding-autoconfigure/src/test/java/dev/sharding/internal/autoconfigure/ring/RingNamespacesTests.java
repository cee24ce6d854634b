package dev.sharding.internal.autoconfigure.ring;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RingNamespacesTests {

	private static final String NAME = "kubernetes.io/metadata.name";

	@Test
	void aShardOfAllNamespacesSuitsEveryRing() {
		assertThat(RingNamespaces.areWithin(Set.of(), null)).isTrue();
		assertThat(RingNamespaces.areWithin(Set.of(), Map.of("matchLabels", Map.of("team", "a")))).isTrue();
	}

	@Test
	void aRingWithoutSelectorIsWiderThanSomeNamespaces() {
		assertThat(RingNamespaces.areWithin(Set.of("a"), null)).isFalse();
		assertThat(RingNamespaces.areWithin(Set.of("a"), Map.of())).isFalse();
	}

	@Test
	void aRingThatNamesItsNamespacesIsCompared() {
		assertThat(RingNamespaces.areWithin(Set.of("a", "b"), Map.of("matchLabels", Map.of(NAME, "a")))).isTrue();
		assertThat(RingNamespaces.areWithin(Set.of("a"), Map.of("matchLabels", Map.of(NAME, "b")))).isFalse();
		assertThat(RingNamespaces.areWithin(Set.of("a", "b"), in("a", "b"))).isTrue();
		assertThat(RingNamespaces.areWithin(Set.of("a"), in("a", "b"))).isFalse();
	}

	@Test
	void otherLabelsSayNothing() {
		assertThat(RingNamespaces.areWithin(Set.of("a"), Map.of("matchLabels", Map.of("team", "a")))).isFalse();
		assertThat(RingNamespaces.areWithin(Set.of("a"),
				Map.of("matchExpressions", List.of(Map.of("key", NAME, "operator", "Exists")))))
			.isFalse();
	}

	private static Map<String, Object> in(String... names) {
		return Map.of("matchExpressions", List.of(Map.of("key", NAME, "operator", "In", "values", List.of(names))));
	}

}
