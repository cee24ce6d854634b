package dev.sharding.internal.sharder.assignment;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ControlledListsTests {

	/** With how many failures in a row a resource counts as empty: 0 for never. */
	@ParameterizedTest
	@CsvSource({ "0, 0", "410, 0", "429, 0", "503, 0", "404, 1", "403, 4", "400, 6", "406, 6", "500, 28", "504, 28" })
	void takesForEmptyWhatCannotBeListed(int status, int first) {
		for (int tries = 1; tries <= 1_000; tries++) {
			assertThat(ControlledLists.isHopeless(status, tries)).as("%s after %s", status, tries)
				.isEqualTo(first > 0 && tries >= first);
		}
	}

}
