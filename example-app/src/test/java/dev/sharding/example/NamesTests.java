package dev.sharding.example;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamesTests {

	@Test
	void keepsNamesThatFit() {
		assertThat(Names.labelValue("a".repeat(63))).isEqualTo("a".repeat(63));
		assertThat(Names.objectName("a".repeat(253))).isEqualTo("a".repeat(253));
	}

	@Test
	void shortensLongNamesWithAHash() {
		assertThat(Names.labelValue("a".repeat(64))).hasSize(63).matches("a{52}-[0-9a-f]{10}");
		assertThat(Names.objectName("a".repeat(254))).hasSize(253).matches("a{242}-[0-9a-f]{10}");
	}

	@Test
	void differentLongNamesStayDifferent() {
		assertThat(Names.labelValue("a".repeat(70) + "b")).isNotEqualTo(Names.labelValue("a".repeat(70) + "c"));
	}

	@Test
	void doesNotCutBehindADotOrADash() {
		assertThat(Names.labelValue("a".repeat(50) + ".-." + "b".repeat(30))).matches("a{50}-[0-9a-f]{10}");
	}

}
