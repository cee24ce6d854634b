package dev.sharding.shedlock;

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockNamesTests {

	private static final String LEGAL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

	@Test
	void keepsWhatIsLegal() {
		assertThat(LockNames.of("app", "clean-up.daily")).isEqualTo("app-lock-clean-up.daily");
	}

	@ParameterizedTest
	@ValueSource(strings = { "cleanUp", "clean_up", " ", "-", "é", "a..b", "a.-b", "#1", "日本", "a-", ".", "a/b" })
	void makesALegalNameOfEverything(String lock) {
		assertThat(LockNames.of("My App", lock)).matches(LEGAL).startsWith("my-app-lock");
		assertThat(LockNames.of("", lock)).matches(LEGAL);
		assertThat(LockNames.of("app", lock.repeat(300))).matches(LEGAL).hasSizeLessThanOrEqualTo(253);
	}

	@Test
	void differentLocksHaveDifferentNames() {
		Set<String> names = new HashSet<>();
		String hashed = LockNames.of("app", "Job");
		for (String lock : new String[] { "job", "Job", "JOB", "j_ob", "j-ob", "j ob", "job-", "job.",
				hashed.substring("app-lock-".length()), "x".repeat(300), "x".repeat(301) }) {
			assertThat(names.add(LockNames.of("app", lock))).as(lock).isTrue();
		}
	}

	@Test
	void whatMeetsAllTheSameIsToldApartByItsLabel() {
		assertThat(LockNames.of("a", "b-lock-c")).isEqualTo(LockNames.of("a-lock-b", "c"));
		assertThat(LockNames.label("a", "b-lock-c")).isNotEqualTo(LockNames.label("a-lock-b", "c"));
	}

}
