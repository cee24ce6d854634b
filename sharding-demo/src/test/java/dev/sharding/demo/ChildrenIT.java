package dev.sharding.demo;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Controlled objects whose names are generated: the new owner of an object must not make
 * a second one. How many objects change hands is set by the system property
 * {@code proof.handovers}; the whole proof takes 1,000.
 */
class ChildrenIT {

	private static final int HAND_OVERS = Integer.getInteger("proof.handovers", 60);

	@Test
	void areNotMadeASecondTimeByTheNewOwner() throws Exception {
		int objects = Math.max(100, Math.min(600, HAND_OVERS));
		try (World world = World.open("children", objects)) {
			world.cast(Fault.NONE, "dev.sharding.demo.held.GeneratedChildren");
			int[] handedOver = { 0 };
			// The judge wants exactly one for each Secret.
			world.playWithoutFinding("children", (same) -> handedOver[0] = handOver(world, objects));
			assertThat(handedOver[0]).isGreaterThanOrEqualTo(HAND_OVERS);
			assertThat(world.admin().configMaps().inNamespace(Names.NAMESPACE).list().getItems()).hasSize(objects);
		}
	}

	/** A shard comes and goes until enough objects have changed hands. */
	private static int handOver(World world, int objects) throws Exception {
		int count = 0;
		while (count < HAND_OVERS) {
			Map<String, String> before = owners(world, objects);
			world.cast().enterShard(world.shard("s3"));
			world.cast().awaitHeld();
			world.settle();
			Map<String, String> with = owners(world, objects);
			Actor leaving = world.cast().dismiss("s3");
			leaving.terminate();
			world.settle();
			assertThat(leaving.awaitEnd(Duration.ofMinutes(1))).isTrue();
			count += changes(before, with) + changes(with, owners(world, objects));
		}
		return count;
	}

	private static Map<String, String> owners(World world, int objects) {
		Map<String, String> owners = new HashMap<>();
		for (int i = 0; i < objects; i++) {
			owners.put(Names.secret(i), world.board().ownerOf(Names.secret(i)));
		}
		return owners;
	}

	private static int changes(Map<String, String> before, Map<String, String> after) {
		return (int) before.entrySet()
			.stream()
			.filter((object) -> !object.getValue().isEmpty() && !after.getOrDefault(object.getKey(), "").isEmpty())
			.filter((object) -> !object.getValue().equals(after.get(object.getKey())))
			.count();
	}

}
