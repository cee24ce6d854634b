package dev.sharding.cache;

import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SelectorWordsTests {

	@Test
	void saysAllThatMustHold() {
		LabelSelector selector = new LabelSelectorBuilder().addToMatchLabels("b.io/x", "1")
			.addToMatchLabels("a", "")
			.addToMatchExpressions(requirement("c", "In", List.of("z", "y")))
			.addToMatchExpressions(requirement("d", "NotIn", List.of("w")))
			.addToMatchExpressions(requirement("e", "Exists", List.of()))
			.addToMatchExpressions(requirement("f", "DoesNotExist", List.of()))
			.build();
		assertThat(SelectorWords.of(selector)).isEqualTo("!f,a=,b.io/x=1,c in (y,z),d notin (w),e");
	}

	@Test
	void equalSelectorsHaveEqualWords() {
		LabelSelector one = new LabelSelectorBuilder().addToMatchLabels("a", "1")
			.addToMatchLabels("b", "2")
			.addToMatchExpressions(requirement("c", "In", List.of("z", "y", "z")))
			.build();
		LabelSelector other = new LabelSelectorBuilder()
			.addToMatchExpressions(requirement("c", "In", List.of("y", "z")))
			.addToMatchLabels("b", "2")
			.addToMatchLabels("a", "1")
			.build();
		assertThat(SelectorWords.of(one)).isEqualTo(SelectorWords.of(other));
	}

	/** Memory answers them as ever: with nothing. */
	@ParameterizedTest
	@ValueSource(strings = { "not valid", "a,b", "-a", "a-", "a\n",
			"0123456789012345678901234567890123456789012345678901234567890123" })
	void hasNoneForValuesThatTheServerRefuses(String value) {
		assertThat(SelectorWords.of(selecting("a", value))).isNull();
		assertThat(SelectorWords
			.of(new LabelSelectorBuilder().addToMatchExpressions(requirement("a", "In", List.of("x", value))).build()))
			.isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a b", "a,b", "/a", "A.io/a", "a/b/c", "a!" })
	void hasNoneForKeysThatTheServerRefuses(String key) {
		assertThat(SelectorWords.of(selecting(key, "a"))).isNull();
	}

	@Test
	void hasNoneForWhatSelectsAllOrIsTooLong() {
		assertThat(SelectorWords.of(new LabelSelector())).isNull();
		assertThat(SelectorWords
			.of(new LabelSelectorBuilder().addToMatchExpressions(requirement("a", "In", List.of())).build())).isNull();
		LabelSelectorBuilder many = new LabelSelectorBuilder();
		for (int i = 0; i < SelectorWords.LONGEST / 6; i++) {
			many.addToMatchLabels("key" + i, "value");
		}
		assertThat(SelectorWords.of(many.build())).isNull();
	}

	private static LabelSelectorRequirement requirement(String key, String operator, List<String> values) {
		return new LabelSelectorRequirement(key, operator, values);
	}

	private static LabelSelector selecting(String key, String value) {
		return new LabelSelectorBuilder().withMatchLabels(Map.of(key, value)).build();
	}

}
