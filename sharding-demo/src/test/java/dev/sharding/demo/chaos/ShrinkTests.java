package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import dev.sharding.demo.chaos.Shrink.Rate;
import dev.sharding.demo.chaos.Shrink.Shrunk;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShrinkTests {

	@Property(tries = 200)
	void findsExactlyWhatIsNeeded(@ForAll Set<@IntRange(min = 0, max = 29) Integer> needed) throws Exception {
		Shrunk<Integer> shrunk = new Shrink<Integer>((candidate) -> candidate.containsAll(needed), 100_000)
			.of(numbers(30));
		assertThat(shrunk.smallest()).containsExactlyElementsOf(needed.stream().sorted().toList());
		assertThat(shrunk.rate()).isEqualTo(new Rate(3, 3));
	}

	@Property(tries = 100)
	void keepsTheOrder(@ForAll Set<@IntRange(min = 0, max = 19) Integer> needed) throws Exception {
		new Shrink<Integer>((candidate) -> {
			assertThat(candidate).isSorted();
			return candidate.containsAll(needed);
		}, 100_000).of(numbers(20));
	}

	@Test
	void triesEachCandidateThreeTimesAndNoneTwice() throws Exception {
		Map<List<Integer>, Integer> tried = new HashMap<>();
		Shrunk<Integer> shrunk = new Shrink<Integer>((candidate) -> {
			tried.merge(candidate, 1, Integer::sum);
			return candidate.contains(7);
		}, 1000).of(numbers(16));
		assertThat(tried.values()).containsOnly(3);
		assertThat(shrunk.candidates()).isEqualTo(tried.size()).isLessThan(20);
		assertThat(shrunk.smallest()).containsExactly(7);
	}

	@Test
	void believesWhatFailsOnceOfThreeTimesAndTellsTheRate() throws Exception {
		List<Boolean> turns = new ArrayList<>();
		Shrunk<Integer> shrunk = new Shrink<Integer>((candidate) -> {
			turns.add(candidate.contains(3));
			return candidate.contains(3) && turns.size() % 3 == 2;
		}, 1000).of(numbers(8));
		assertThat(shrunk.smallest()).containsExactly(3);
		assertThat(shrunk.rate()).hasToString("1 of 3");
	}

	@Test
	void leavesAloneWhatDoesNotFailAgain() throws Exception {
		Shrunk<Integer> shrunk = new Shrink<Integer>((candidate) -> false, 1000).of(numbers(8));
		assertThat(shrunk).isEqualTo(new Shrunk<>(numbers(8), new Rate(0, 3), 1));
	}

	@Test
	void findsThatNothingIsNeeded() throws Exception {
		assertThat(new Shrink<Integer>((candidate) -> true, 1000).of(numbers(9)).smallest()).isEmpty();
	}

	@Test
	void endsWithWhatItHasAfterSoManyCandidates() throws Exception {
		Shrunk<Integer> shrunk = new Shrink<Integer>((candidate) -> candidate.contains(7), 3).of(numbers(16));
		assertThat(shrunk.candidates()).isEqualTo(3);
		assertThat(shrunk.smallest()).contains(7).hasSizeLessThan(16);
		assertThat(shrunk.rate().failed()).isPositive();
	}

	private static List<Integer> numbers(int size) {
		return IntStream.range(0, size).boxed().toList();
	}

}
