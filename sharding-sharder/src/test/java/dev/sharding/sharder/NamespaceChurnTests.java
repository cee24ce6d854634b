package dev.sharding.sharder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceChurnTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final NamespaceChurn churn = new NamespaceChurn();

	@Test
	void looksSoonAtASingleOne() {
		assertThat(this.churn.add("a", 0)).isEqualTo(NamespaceChurn.SHORTEST);
		assertThat(this.churn.add("a", 1)).isNull();
		assertThat(this.churn.look(at(1))).containsExactly("a");
		assertThat(this.churn.add("b", at(60))).isEqualTo(NamespaceChurn.SHORTEST);
	}

	@Test
	void looksAtManyAtOnce() {
		for (int i = 0; i < 10_000; i++) {
			this.churn.add("n-" + i, i);
		}
		assertThat(this.churn.look(at(1))).hasSize(10_000);
		assertThat(this.churn.look(at(1))).isEmpty();
	}

	@Test
	@DisplayName("One event a second costs six looks in the first minute, and four in each later one")
	void looksSeldomWhileNamespacesGoOnToChange() {
		List<Integer> seconds = new ArrayList<>();
		for (int i = 0; i < 600; i++) {
			seconds.add(1);
		}
		List<Long> looks = looks(seconds);
		assertThat(looks.stream().filter((look) -> look < MINUTE.toNanos())).hasSizeLessThanOrEqualTo(6);
		for (int minute = 1; minute < 10; minute++) {
			long from = MINUTE.toNanos() * minute;
			assertThat(looks.stream().filter((look) -> look >= from && look < from + MINUTE.toNanos()))
				.hasSizeLessThanOrEqualTo(4);
		}
	}

	@Property(tries = 300)
	void looksAtEachWithinTheLongestWait(@ForAll @Size(max = 60) List<@IntRange(max = 40) Integer> seconds) {
		looks(seconds);
	}

	/*
	 * When it looked, if a namespace changes after each of the times. Each change is
	 * looked at within the longest wait.
	 */
	private static List<Long> looks(List<Integer> seconds) {
		NamespaceChurn churn = new NamespaceChurn();
		List<Long> looks = new ArrayList<>();
		Map<String, Long> changed = new HashMap<>();
		Long due = null;
		long now = 0;
		int number = 0;
		for (int later : seconds) {
			now += at(later);
			due = look(churn, changed, looks, due, now);
			String name = "n-" + number++;
			changed.put(name, now);
			Duration wait = churn.add(name, now);
			assertThat(wait == null).isEqualTo(due != null);
			due = (wait != null) ? Long.valueOf(now + wait.toNanos()) : due;
		}
		look(churn, changed, looks, due, Long.MAX_VALUE);
		assertThat(changed).isEmpty();
		return looks;
	}

	private static @Nullable Long look(NamespaceChurn churn, Map<String, Long> changed, List<Long> looks,
			@Nullable Long due, long now) {
		if (due == null || due > now) {
			return due;
		}
		looks.add(due);
		for (String name : churn.look(due)) {
			assertThat(due - changed.remove(name)).isLessThanOrEqualTo(NamespaceChurn.LONGEST.toNanos());
		}
		return null;
	}

	private static long at(int seconds) {
		return Duration.ofSeconds(seconds).toNanos();
	}

}
