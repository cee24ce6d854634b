package dev.sharding.internal.core.assignment;

import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * However shards, the sharder and the next one interleave: no object is taken from a
 * shard that is at work on it, no late write takes effect, what is controlled moves
 * before the main object, and whoever gets that sees what was made before. All of it,
 * instead of what fits a build, with
 * {@code mvn -pl sharding-core test -Dtest=DrainExplorerTests -Ddrains.explorer.steps=90}.
 */
class DrainExplorerTests {

	private static final Integer STEPS = Integer.getInteger("drains.explorer.steps");

	/* How many worlds are played on in calm. */
	private static final int CALM = 500;

	@ParameterizedTest
	@EnumSource
	void noInterleavingGoesWrong(DrainScene scene) {
		Set<DrainWorld> worlds = DrainExplorer.worlds(scene, (STEPS != null) ? STEPS : scene.steps());
		System.out.println(scene + ": " + worlds.size() + " worlds");
		assertThat(worlds).as("somebody else gets the object").anyMatch((world) -> world.shard("b-1").working());
		DrainCalm calm = new DrainCalm(scene);
		int each = Math.max(1, worlds.size() / CALM);
		int i = 0;
		for (DrainWorld world : worlds) {
			if (i++ % each == 0) {
				assertThat(calm.late(world)).isNull();
			}
		}
	}

}
