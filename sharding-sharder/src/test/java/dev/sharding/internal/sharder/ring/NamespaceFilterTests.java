package dev.sharding.internal.sharder.ring;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@DisplayName("Scenario 74: selected namespaces")
class NamespaceFilterTests {

	private static final Map<String, Map<String, String>> NAMESPACES = Map.of("shop",
			Map.of("team", "a", "env", "prod"), "blog", Map.of("team", "b"), "kube-system", Map.of());

	@Test
	void leavesOutTheExcludedOnesByDefault() {
		NamespaceFilter filter = NamespaceFilter.excluding(Set.of("kube-system", "sharding-system"));
		assertThat(filter.includes("kube-system")).isFalse();
		assertThat(filter.includes("shop")).isTrue();
		assertThat(filter.fieldSelector())
			.isEqualTo("metadata.namespace!=kube-system,metadata.namespace!=sharding-system");
	}

	@Test
	void hasNothingForTheApiServerToLeaveOutIfNothingIsExcluded() {
		assertThat(NamespaceFilter.excluding(Set.of()).fieldSelector()).isNull();
		assertThat(selecting(new LabelSelectorBuilder().addToMatchLabels("team", "a").build()).fieldSelector())
			.isNull();
	}

	@Test
	void includesObjectsOfClusterScope() {
		assertThat(NamespaceFilter.excluding(Set.of("kube-system")).includes("")).isTrue();
		assertThat(selecting(new LabelSelectorBuilder().addToMatchLabels("team", "a").build()).includes("")).isTrue();
	}

	@Test
	void matchesLabels() {
		NamespaceFilter filter = selecting(new LabelSelectorBuilder().addToMatchLabels("team", "a").build());
		assertThat(included(filter)).containsExactly("shop");
		assertThat(filter.includes("no-such-namespace")).isFalse();
	}

	@Test
	void matchesEverythingIfEmpty() {
		assertThat(included(selecting(new LabelSelector()))).containsExactlyInAnyOrder("shop", "blog", "kube-system");
	}

	@Test
	void matchesExpressions() {
		assertThat(included(selecting("team", "In", "a", "c"))).containsExactly("shop");
		assertThat(included(selecting("team", "NotIn", "a"))).containsExactlyInAnyOrder("blog", "kube-system");
		assertThat(included(selecting("env", "Exists"))).containsExactly("shop");
		assertThat(included(selecting("env", "DoesNotExist"))).containsExactlyInAnyOrder("blog", "kube-system");
	}

	@Test
	void isTurnedByWhatItSelectsByOnly() {
		NamespaceFilter filter = selecting(new LabelSelectorBuilder().addToMatchLabels("team", "a").build());
		Map<String, String> inside = Map.of("team", "a");
		Map<String, String> alsoInside = Map.of("team", "a", "env", "prod");
		Map<String, String> outside = Map.of("team", "b");
		assertThat(filter.isTurnedBy(new NamespaceChange("shop", inside, alsoInside))).isFalse();
		assertThat(filter.isTurnedBy(new NamespaceChange("shop", outside, Map.of()))).isFalse();
		assertThat(filter.isTurnedBy(new NamespaceChange("shop", inside, outside))).isTrue();
		assertThat(filter.isTurnedBy(new NamespaceChange("shop", outside, inside))).isTrue();
		assertThat(filter.isTurnedBy(new NamespaceChange("shop", null, inside))).isTrue();
		assertThat(filter.isTurnedBy(new NamespaceChange("shop", null, outside))).isFalse();
		assertThat(NamespaceFilter.excluding(Set.of("shop")).isTurnedBy(new NamespaceChange("shop", null, inside)))
			.isFalse();
	}

	@Test
	void refusesInvalidExpressions() {
		assertThatIllegalArgumentException().isThrownBy(() -> selecting("team", "In"))
			.withMessageContaining("key team, operator In");
		assertThatIllegalArgumentException().isThrownBy(() -> selecting("team", "Exists", "a"));
		assertThatIllegalArgumentException().isThrownBy(() -> selecting("team", "Near", "a"));
	}

	private static List<String> included(NamespaceFilter filter) {
		return NAMESPACES.keySet().stream().filter(filter::includes).toList();
	}

	private static NamespaceFilter selecting(String key, String operator, String... values) {
		return selecting(new LabelSelectorBuilder().addNewMatchExpression()
			.withKey(key)
			.withOperator(operator)
			.withValues(values)
			.endMatchExpression()
			.build());
	}

	private static NamespaceFilter selecting(LabelSelector selector) {
		return NamespaceFilter.selecting(selector, NAMESPACES::get);
	}

}
