package dev.sharding.qos;

import java.time.Instant;
import java.util.List;
import java.util.Random;

import dev.sharding.internal.core.qos.RequestShape;
import dev.sharding.internal.core.qos.RequestShape.VersionKind;
import dev.sharding.internal.kubernetes.qos.RememberedShape;
import dev.sharding.qos.QosProperties.QosRuleProperties;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.Operation;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Texts that come from a ConfigMap or a request hold what whoever wrote them liked: they
 * are read, or refused by the exception that is said.
 */
class TextFuzzTests {

	private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

	private static final String RULE = "{ priority: 3, qos-class: few, operations: [list, get], paths: [/api/v1/pods] }";

	private static final String RULES = """
			sharding:
			  qos:
			    built-in-rules: false
			    classes:
			      few: { kind: max-in-flight, max: 3 }
			    rules:
			      r1: %s
			""".formatted(RULE);

	private static final String[] TOKENS = { "{", "}", "[", "]", ":", ",", "\"", "- ", "? ", "~", "&a ", "*a", "!!int ",
			"!!binary ", "!!bool ", "!!null ", "!!timestamp ", "!!set ", "!!float ", "!!omap ", "!!pairs ", "!!map ",
			"<<: ", "0x", "1e999", "9".repeat(400), "2026-99-99", "\n", "  ", "\t", "\0", "---\n", "%", "|\n",
			"[".repeat(200), "{a: ".repeat(200), "-5s", "\uD83D\uDE80", "\uD800", "0o7_", "0b_", "190:20:30", "..",
			"[a]", "a[", "${x}", "${", "." };

	@Property(tries = 1_500, shrinking = ShrinkingMode.OFF)
	void refusesRulesThatNobodyCanRead(@ForAll long seed) {
		try {
			assertThat(RulesText.parse("rules.yaml", spoil(RULES, new Random(seed)))).isNotNull();
		}
		catch (InvalidQosException expected) {
			assertThat(expected.getMessage()).isNotEmpty();
		}
	}

	@Property(tries = 1_500, shrinking = ShrinkingMode.OFF)
	void refusesDefinitionsThatNobodyCanRead(@ForAll long seed) {
		try {
			assertThat(RulesText.bind("r1", spoil(RULE, new Random(seed)), QosRuleProperties.class)).isNotNull();
		}
		catch (InvalidQosException | BindException expected) {
			assertThat(expected.getMessage()).isNotEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sharding: { qos: { rules: { r1: { priority: !!int x } } } }",
			"sharding: { qos: { rules: { r1: { priority: !!float x } } } }",
			"sharding: { qos: { rules: { r1: { priority: !!binary '%' } } } }" })
	void valuesThatAreNotOfTheTypeThatTheyNameAreRefused(String text) {
		assertThatExceptionOfType(InvalidQosException.class).isThrownBy(() -> RulesText.parse("rules.yaml", text));
	}

	@Property(tries = 1_000, shrinking = ShrinkingMode.OFF)
	void remembersShapesOfAnyNames(@ForAll String group, @ForAll String resource, @ForAll double items,
			@ForAll long seed) {
		Random random = new Random(seed);
		RememberedShape shape = new RememberedShape(
				new RequestShape(Operation.values()[random.nextInt(Operation.values().length)], group, resource, "ns",
						resource, group, "500", VersionKind.values()[random.nextInt(VersionKind.values().length)]),
				items, -0.5, Double.NaN, 3, Instant.ofEpochSecond(random.nextInt()));
		String text = ShapesText.write(List.of(shape), SERIALIZATION);
		assertThat(ShapesText.parse(text, SERIALIZATION)).containsExactly(shape);
		try {
			assertThat(ShapesText.parse(spoil(text, random), SERIALIZATION)).isNotNull();
		}
		catch (RuntimeException expected) {
			// An error fails, such as of a stack that is too deep.
		}
	}

	private static String spoil(String valid, Random random) {
		StringBuilder text = new StringBuilder(valid);
		for (int i = 1 + random.nextInt(3); i > 0; i--) {
			int at = random.nextInt(text.length());
			int to = Math.min(text.length(), at + random.nextInt(10));
			text.replace(at, to, TOKENS[random.nextInt(TOKENS.length)]);
		}
		return text.toString();
	}

}
