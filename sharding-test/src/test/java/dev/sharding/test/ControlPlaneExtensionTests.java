package dev.sharding.test;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ControlPlaneExtensionTests {

	@ParameterizedTest
	@CsvSource({ "RestartIT, t-restart-it-", "Outer$Inner_Case, t-outer-inner-case-", "Ä, t-",
			"AVeryLongNameOfATestClassThatDoesNotFitIntoANamespaceNameIT, t-avery-long" })
	void derivesValidNamespaceFromClassName(String className, String start) {
		assertThat(ControlPlaneExtension.nameFor(className)).startsWith(start)
			.matches("[a-z0-9]([-a-z0-9]*[a-z0-9])?")
			.hasSizeLessThan(64);
	}

}
