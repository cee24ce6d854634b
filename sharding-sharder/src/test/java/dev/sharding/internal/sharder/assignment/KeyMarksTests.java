package dev.sharding.internal.sharder.assignment;

import java.util.function.Predicate;
import java.util.stream.IntStream;

import dev.sharding.internal.core.key.ShardingKey;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyMarksTests {

	private static final int MARKED = 1_000_000;

	private final KeyMarks marks = new KeyMarks();

	@Test
	void findsAllThatAreMarked() {
		assertThat(this.marks.mayContain(main(0))).isFalse();
		mark(this.marks);
		assertThat(IntStream.range(0, MARKED)).allMatch((i) -> this.marks.mayContain(main(i)));
	}

	@Test
	@DisplayName("One of nine others seems to be marked; by other marks as well, one of eighty")
	void othersSeemToBeMarkedByChance() {
		KeyMarks other = new KeyMarks();
		mark(this.marks);
		mark(other);
		assertThat(share((main) -> this.marks.mayContain(main))).isBetween(0.05, 0.15);
		assertThat(share((main) -> this.marks.mayContain(main) && other.mayContain(main))).isLessThan(0.03);
	}

	private static void mark(KeyMarks marks) {
		IntStream.range(0, MARKED).forEach((i) -> marks.add(main(i)));
	}

	private static double share(Predicate<ShardingKey> seeming) {
		return IntStream.range(MARKED, MARKED + 100_000).filter((i) -> seeming.test(main(i))).count() / 100_000.0;
	}

	private static ShardingKey main(int number) {
		return new ShardingKey("", "Secret", "default", "s-" + number);
	}

}
