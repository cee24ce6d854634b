package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InFlightLimitTests {

	private final InFlightLimit limit = new InFlightLimit(100);

	@Test
	void beginsLowAndGrowsWithQuickAnswersUpToTheHighest() {
		assertThat(this.limit.limit()).isEqualTo(16);
		answered(50, Duration.ofMillis(5));
		assertThat(this.limit.limit()).isEqualTo(66);
		answered(500, Duration.ofMillis(5));
		assertThat(this.limit.limit()).isEqualTo(100);
	}

	@Test
	void shrinksWithSlowAnswersDownToTheLowest() {
		answered(100, Duration.ofMillis(5));
		answered(10, Duration.ofSeconds(1));
		assertThat(this.limit.limit()).isEqualTo(90);
		answered(1000, Duration.ofSeconds(1));
		assertThat(this.limit.limit()).isEqualTo(16);
	}

	@Test
	void staysInBetween() {
		answered(10, Duration.ofMillis(300));
		assertThat(this.limit.limit()).isEqualTo(16);
	}

	@Test
	void neverExceedsASmallHighest() {
		InFlightLimit one = new InFlightLimit(1);
		one.answered(0);
		assertThat(one.limit()).isEqualTo(1);
	}

	@Test
	void isLessWhileMemoryIsShort() {
		InFlightLimit halved = new InFlightLimit(100, (usual) -> usual / 2);
		assertThat(halved.limit()).isEqualTo(8);
		assertThat(halved.lowest()).isEqualTo(8);
	}

	private void answered(int times, Duration took) {
		for (int i = 0; i < times; i++) {
			this.limit.answered(took.toNanos());
		}
	}

}
