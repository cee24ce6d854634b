package dev.sharding.internal.core.slot;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever two candidates, a former holder and the sharder do, and in whatever order: no
 * two of them act at a time, and no late write takes effect. More steps with
 * {@code mvn -pl sharding-core test -Dtest=SlotExplorerTests -Dslots.explorer.steps=15 -DargLine=-Xmx6g}.
 */
class SlotExplorerTests {

	private static final int STEPS = Integer.getInteger("slots.explorer.steps", 11);

	@ParameterizedTest
	@EnumSource
	void noInterleavingGoesWrong(SlotScene scene) {
		int worlds = SlotExplorer.count(scene, STEPS);
		assertThat(worlds).as("worlds of %s", scene).isGreaterThan(STEPS * 1_000);
	}

	@Test
	void aBatchOfNewcomersComesInAtOnceForAllWhoFollowTheLeases() {
		assertThat(SettlingPlay.explore()).isNull();
	}

}
