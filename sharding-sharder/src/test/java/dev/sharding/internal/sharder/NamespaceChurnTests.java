package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceChurnTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final long MINUTE = Duration.ofMinutes(1).toNanos();

	private NamespaceChurn churn = new NamespaceChurn();

	private final Map<String, Long> changed = new HashMap<>();

	/* When it listed. */
	private final List<Long> lists = new ArrayList<>();

	private final Map<String, List<Duration>> waits = new HashMap<>();

	private @Nullable Long due;

	/* How many lists a look at so many costs. */
	private IntFunction<Integer> cost = (names) -> (names > NamespaceChurn.FEW) ? 1 : names;

	@Test
	void looksSoonAtASingleOne() {
		assertThat(this.churn.add("a", 0)).isEqualTo(NamespaceChurn.SHORTEST);
		assertThat(this.churn.add("a", 1)).isNull();
		assertThat(this.churn.look(1)).isEmpty();
		assertThat(this.churn.look(SECOND)).containsExactly("a");
		assertThat(this.churn.cost(1, SECOND)).isNull();
		assertThat(this.churn.add("b", 60 * SECOND)).isEqualTo(NamespaceChurn.SHORTEST);
	}

	@Test
	void looksAtManyAtOnce() {
		for (int i = 0; i < 10_000; i++) {
			this.churn.add("n-" + i, i);
		}
		assertThat(this.churn.look(SECOND)).hasSize(10_000);
		assertThat(this.churn.cost(1, SECOND)).isNull();
		assertThat(this.churn.look(SECOND)).isEmpty();
	}

	@Test
	@DisplayName("One that goes on to change costs six looks in the first minute, and four in each later one")
	void looksSeldomAtOneThatGoesOnToChange() {
		for (int second = 0; second < 600; second++) {
			change("flaps", second * SECOND);
		}
		assertThat(listed(0)).isLessThanOrEqualTo(6);
		for (int minute = 1; minute < 10; minute++) {
			assertThat(listed(minute)).isLessThanOrEqualTo(4);
		}
	}

	@Test
	@DisplayName("One that comes while another goes on to change is looked at as if it were alone")
	void delaysNoOther() {
		for (int second = 0; second < 600; second++) {
			change("flaps", second * SECOND);
			if (second % 60 == 59) {
				change("comes-" + second, second * SECOND + 1);
			}
		}
		end();
		assertThat(this.waits).hasSize(11);
		assertThat(this.waits.entrySet()).filteredOn((wait) -> !wait.getKey().equals("flaps"))
			.allSatisfy((wait) -> assertThat(wait.getValue()).containsExactly(NamespaceChurn.SHORTEST));
	}

	@Test
	@DisplayName("Another one each second costs twelve lists in each minute, and each waits for half of the longest wait")
	void looksAtOthersTogether() {
		for (int second = 0; second < 600; second++) {
			change("n-" + second, second * SECOND);
		}
		end();
		IntStream.range(0, 10).forEach((minute) -> assertThat(listed(minute)).isLessThanOrEqualTo(12));
		assertThat(this.waits.values())
			.allSatisfy((waits) -> assertThat(waits.get(0)).isLessThanOrEqualTo(NamespaceChurn.LONGEST.dividedBy(2)));
	}

	@Test
	@DisplayName("Those that cost much are looked at together after the longest wait, however long that goes on")
	void waitsNoLongerThanTheLongestWait() {
		this.cost = (names) -> 20 * names;
		for (int second = 0; second < 600; second++) {
			change("n-" + second, second * SECOND);
		}
		end();
		assertThat(this.lists.stream().distinct().filter((look) -> look >= MINUTE && look < 2 * MINUTE))
			.hasSizeLessThanOrEqualTo(4);
	}

	@Property(tries = 300)
	void looksAtEachWithinTheLongestWait(@ForAll @Size(max = 120) List<@IntRange(max = 60_000) Integer> changes,
			@ForAll @IntRange(max = 3) int each) {
		this.cost = (names) -> each * names;
		changeAll(changes, 20);
	}

	@Property(tries = 300)
	void costsABoundedNumberOfLists(@ForAll @Size(max = 300) List<@IntRange(max = 3_000) Integer> changes,
			@ForAll @IntRange(min = 1, max = 200) int names) {
		this.cost = (looked) -> 1;
		changeAll(changes, names);
		assertThat(this.lists)
			.allSatisfy((from) -> assertThat(this.lists.stream().filter((list) -> list >= from && list - from < MINUTE))
				.hasSizeLessThanOrEqualTo(13));
	}

	/* Namespaces, so many in turns, each so many milliseconds after the one before. */
	private void changeAll(List<Integer> changes, int names) {
		// All tries of a property have this same instance.
		this.churn = new NamespaceChurn();
		this.changed.clear();
		this.lists.clear();
		this.waits.clear();
		this.due = null;
		long now = 0;
		for (int i = 0; i < changes.size(); i++) {
			now += Duration.ofMillis(changes.get(i)).toNanos();
			change("n-" + i * 7 % names, now);
		}
		end();
	}

	private void change(String name, long now) {
		lookUntil(now);
		this.changed.putIfAbsent(name, now);
		plan(this.churn.add(name, now), now);
	}

	/* What waits is looked at. */
	private void end() {
		lookUntil(Long.MAX_VALUE);
		assertThat(this.changed).isEmpty();
	}

	private long listed(int minute) {
		return this.lists.stream().filter((look) -> look >= minute * MINUTE && look < (minute + 1) * MINUTE).count();
	}

	private void plan(@Nullable Duration wait, long now) {
		if (wait != null) {
			assertThat(wait).isPositive();
			this.due = now + wait.toNanos();
		}
	}

	private void lookUntil(long until) {
		Long now = this.due;
		while (now != null && now <= until) {
			this.due = null;
			long at = now;
			Set<String> names = this.churn.look(at);
			assertThat(names).isNotEmpty();
			names.forEach((name) -> {
				Duration wait = Duration.ofNanos(at - this.changed.remove(name));
				assertThat(wait).isLessThanOrEqualTo(NamespaceChurn.LONGEST);
				this.waits.computeIfAbsent(name, (first) -> new ArrayList<>()).add(wait);
			});
			int lists = this.cost.apply(names.size());
			IntStream.range(0, lists).forEach((list) -> this.lists.add(at));
			plan(this.churn.cost(lists, at), at);
			now = this.due;
		}
	}

}
