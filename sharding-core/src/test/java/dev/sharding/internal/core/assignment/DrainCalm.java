package dev.sharding.internal.core.assignment;

import java.util.List;
import java.util.Objects;
import java.util.Set;

import dev.sharding.internal.core.assignment.DrainPlay.Step;
import dev.sharding.internal.core.assignment.DrainWorld.Thing;
import org.jspecify.annotations.Nullable;

/**
 * How a play goes on if nothing bad happens any more: everybody does at once what is due,
 * and nobody stops.
 */
final class DrainCalm {

	/** What is due, the first first. */
	private static final List<String> DUE = List.of("arrives", "is refused", "hears of", "sees", "term is over",
			"renews its hold", "finds another", "judges anew", "ends its reconcile", "refreshes", "touches", "lets go",
			"asks for", "takes", "gives what is controlled away", "gives the main object away", "looks for", "astray",
			"for too long", "gives the Lease back", "begins");

	private static final int STEPS = 60;

	private static final int TICKS = 8;

	private final DrainScene scene;

	private final DrainPlay play;

	private final DrainShard shard;

	DrainCalm(DrainScene scene) {
		this.scene = scene;
		this.shard = new DrainShard(scene, DrainFault.NONE);
		this.play = new DrainPlay(scene, DrainFault.NONE);
	}

	/** Returns what takes too long, {@code null} if the object is served in time. */
	@Nullable String late(DrainWorld world) {
		DrainWorld now = world.with(Accidents.NONE);
		for (int i = 0; i < STEPS && now.now() - world.now() <= TICKS; i++) {
			if (isServed(now)) {
				return null;
			}
			DrainWorld next = due(now);
			now = (next != null) ? next : DrainPlay.passed(now, true);
		}
		return isServed(now) ? null : "from " + world + " on, nobody serves the object: " + now;
	}

	private @Nullable DrainWorld due(DrainWorld world) {
		List<Step> steps = this.play.next(world);
		for (String what : DUE) {
			for (Step step : steps) {
				if (step.name().contains(what) && !step.world().canonical().equals(world.canonical())) {
					return step.world();
				}
			}
		}
		return null;
	}

	private boolean isServed(DrainWorld world) {
		Set<String> members = DrainScene.members(world);
		String to = HashRing.of(members).shardFor(this.scene.key());
		Thing child = world.child();
		return to != null && to.equals(world.main().shard()) && !world.main().drain()
				&& (child == null || Objects.equals(to, child.shard()))
				&& world.shards()
					.stream()
					.anyMatch((shard) -> shard.name().equals(to) && this.shard.mayWrite(world, shard));
	}

}
