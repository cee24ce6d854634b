package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.sharding.internal.core.slot.SlotPlay.Step;
import dev.sharding.internal.core.slot.SlotWorld.Accidents;
import dev.sharding.internal.core.slot.SlotWorld.Phase;
import org.jspecify.annotations.Nullable;

/**
 * How a play goes on if nothing bad happens any more: everybody does at once what is due,
 * and nobody stops.
 */
final class SlotCalm {

	/** What is due, the first first. */
	private static final List<String> DUE = List.of("a move arrives", "a write of", "a looks", "b looks", "c looks",
			"a finds out", "b finds out", "c finds out", "a renews", "b renews", "c renews", "the sharder", "b takes",
			"c takes", "a touches", "b touches", "c touches", "a begins", "b begins", "c begins");

	private final SlotPlay play;

	private final SlotScene scene;

	SlotCalm(SlotScene scene) {
		this.play = new SlotPlay(scene, SlotFault.NONE, true);
		this.scene = scene;
	}

	/**
	 * Returns what takes too long.
	 * @return a text for people, empty if the object has an owner in time
	 */
	Optional<String> late(SlotWorld world) {
		boolean anybody = this.scene.hasOthers()
				|| world.shards().stream().anyMatch((shard) -> !shard.id().equals("a") && shard.phase() != Phase.ENDED);
		if (!anybody) {
			return Optional.empty();
		}
		Duration bound = bound(world);
		Accidents left = world.left();
		SlotWorld now = world.with(new Accidents(1, left.lostAnswers(), left.edits(), left.leaders()));
		while (!isServed(now)) {
			now = settled(now);
			Duration passed = SlotScene.TICK.multipliedBy(now.now() - world.now());
			if (!isServed(now) && passed.compareTo(bound) >= 0) {
				return Optional.of("nobody has the object after " + passed + " from " + world + " on, but " + now);
			}
			now = isServed(now) ? now : now.later();
		}
		return Optional.empty();
	}

	/* One tick is what everybody is late by at most. */
	private Duration bound(SlotWorld world) {
		SlotLease lease = world.lease();
		boolean waits = lease != null && lease.isWaitedFor() && world.sharder().make() == SlotWorld.Make.OURS
				&& world.left().edits() == this.scene.begin().left().edits();
		Duration longest = this.scene.holder("a").leaseDuration();
		return (waits && this.scene.agreesOnTime()) ? SlotScene.GRACE.plus(SlotScene.TICK)
				: longest.multipliedBy(4).plus(SlotScene.TICK.multipliedBy(2));
	}

	private SlotWorld settled(SlotWorld world) {
		SlotWorld now = world;
		while (true) {
			Step due = due(now);
			if (due == null) {
				return now;
			}
			now = due.world();
		}
	}

	private @Nullable Step due(SlotWorld world) {
		List<Step> steps = this.play.next(world);
		for (String name : DUE) {
			for (Step step : steps) {
				if (step.name().startsWith(name) && !step.name().endsWith("is lost") && !step.world().equals(world)) {
					return step;
				}
			}
		}
		return null;
	}

	private boolean isServed(SlotWorld world) {
		return world.moved() || world.shards()
			.stream()
			.anyMatch((shard) -> shard.phase() == Phase.ACTIVE
					&& this.play.isOpen(shard, this.scene.at(shard, world.now())));
	}

}
