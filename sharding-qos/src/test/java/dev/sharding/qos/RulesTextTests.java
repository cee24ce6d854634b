package dev.sharding.qos;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sharding.qos.QosProperties.RulesProperties;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.QosRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Texts that come from a ConfigMap, of whoever may write it. */
class RulesTextTests {

	@ParameterizedTest
	@ValueSource(strings = { "sharding: { qos: &self { classes: *self } }",
			"sharding: { qos: { rules: &self [*self] } }", "sharding: { qos: { ~: 1 } }",
			"sharding: { qos: { classes: { ~: { kind: max-in-flight } } } }", "", "sharding: { qos: { rulez: {} } }",
			"sharding: { qos: { rules: } }",
			"sharding: { qos: { classes: { few: { kind: max-in-flight, max: 3 } }, rules: { r: { priority: 1, qos-class: few, conditions: { predicted-items: } } } } }",
			"sharding: { qos: { classes: { few: { kind: max-in-flight, max: 3 } }, rules: { r: { priority: 1, qos-class: few, paths: [] } } } }" })
	void whatNobodyCanReadIsRefused(String text) {
		assertThatExceptionOfType(InvalidQosException.class).isThrownBy(() -> RulesText.parse("rules.yaml", text));
	}

	@Test
	void fewLinesThatStandForBillionsAreRefused() {
		String lines = IntStream.range(1, 25)
			.mapToObj((i) -> "      a%d: &a%d [*a%d, *a%d]%n".formatted(i, i, i - 1, i - 1))
			.collect(Collectors.joining("", "sharding:\n  qos:\n    rules:\n      a0: &a0 [1]\n", ""));
		assertThatExceptionOfType(InvalidQosException.class).isThrownBy(() -> RulesText.parse("rules.yaml", lines));
	}

	@Test
	void ofWhatIsNoMappingTheReasonTellsTheBeginningOnly() {
		assertThatExceptionOfType(InvalidQosException.class)
			.isThrownBy(() -> RulesText.parse("rules.yaml", "x".repeat(100_000)))
			.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(1_000));
	}

	@Test
	void manyRulesThatAreExportedCanBeReadAgain() {
		String text = IntStream.range(1, 100)
			.mapToObj((i) -> "      r%d: { priority: %d, qos-class: few }%n".formatted(i, i))
			.collect(Collectors.joining("",
					"sharding:\n  qos:\n    built-in-rules: false\n    classes:\n      few: { kind: max-in-flight, max: 3 }\n    rules:\n",
					""));
		QosRules rules = RulesText.parse("rules.yaml", text);
		String exported = QosExport.yaml(rules);
		assertThat(exported).doesNotContain("*id");
		assertThat(RulesText.parse("rules.yaml", exported).rules()).isEqualTo(rules.rules());
	}

	@Test
	void nobodyNeedDefineAnything() {
		assertThat(RulesText.parse("rules.yaml", "sharding: { qos: { built-in-rules: false, classes: {}, rules: {} } }")
			.rules()).isEmpty();
	}

	@Test
	void nativeImageCanReadThem() {
		DefaultGenerationContext generation = new DefaultGenerationContext(
				new ClassNameGenerator(ClassName.get("test", "Application")), new InMemoryGeneratedFiles());
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		TestPropertyValues.of("sharding.qos.enabled=true", "sharding.qos.config-map.name=rules").applyTo(context);
		context.register(QosAutoConfiguration.class);
		new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
		assertThat(RuntimeHintsPredicates.reflection()
			.onConstructorInvocation(RulesProperties.class.getDeclaredConstructors()[0]))
			.accepts(generation.getRuntimeHints());
	}

}
