package dev.sharding.internal.core.overlay;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What bulk work costs, counted in rounds of loops.
 */
class OverlayStepsTests {

	@Test
	void eachDeleteCostsTheSameHoweverManyThereAre() throws Exception {
		long few = OverlayMutants.countSteps("deleteAll", 1_000);
		long many = OverlayMutants.countSteps("deleteAll", 8_000);
		assertThat(few).as("counted at all").isGreaterThan(1_000);
		assertThat(many).isLessThanOrEqualTo(10 * few);
	}

}
