package dev.sharding.internal.core.slot;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

import dev.sharding.internal.core.slot.SlotPlay.Step;
import dev.sharding.internal.core.slot.SlotWorld.Shard;
import org.jspecify.annotations.Nullable;

/**
 * Plays all interleavings of a scene, step by step, each world once.
 */
final class SlotExplorer {

	/* Of how many worlds one is played on in calm. */
	private static final int CALM = Integer.getInteger("slots.explorer.calm", 499);

	private final SlotPlay play;

	private final LiveParts live;

	private final int steps;

	private final Set<Key> seen = new HashSet<>();

	private final List<SlotWorld> sample = new ArrayList<>();

	/* How often a play was at its end. */
	private int last;

	/* One of each part of a world, so that worlds are compared by their parts. */
	private final Map<Object, Object> pool = new HashMap<>();

	private SlotExplorer(SlotScene scene, SlotFault fault, int steps) {
		this.play = new SlotPlay(scene, fault, false);
		this.live = new LiveParts(scene);
		this.steps = steps;
	}

	/**
	 * Plays a scene.
	 * @param scene the name of a {@link SlotScene}
	 * @param fault the name of a {@link SlotFault}
	 * @param steps how many steps a play has at most
	 * @return a shortest play that goes wrong, {@code null} if none does
	 */
	static @Nullable String explore(String scene, String fault, int steps) {
		return new SlotExplorer(SlotScene.valueOf(scene), SlotFault.valueOf(fault), steps)
			.explore(SlotScene.valueOf(scene).begin());
	}

	/**
	 * Counts the worlds of a scene.
	 * @return how many there are after fewer steps than that
	 */
	static int count(SlotScene scene, int steps) {
		SlotExplorer explorer = new SlotExplorer(scene, SlotFault.NONE, steps);
		String wrong = explorer.explore(scene.begin());
		if (wrong != null) {
			throw new AssertionError(wrong);
		}
		SlotCalm calm = new SlotCalm(scene);
		explorer.sample.forEach((world) -> calm.late(world).ifPresent((late) -> {
			throw new AssertionError(late);
		}));
		return explorer.seen.size();
	}

	private @Nullable String explore(SlotWorld first) {
		Queue<Node> open = new ArrayDeque<>();
		open.add(new Node(pooled(first, null), null, "", 0));
		while (!open.isEmpty()) {
			Node node = open.remove();
			for (Step step : this.play.next(node.world)) {
				String wrong = (step.wrong() != null) ? step.wrong() : this.play.wrong(step.world());
				if (wrong != null) {
					return trace(new Node(step.world(), node, step.name(), node.depth + 1), wrong);
				}
				if (node.depth + 1 == this.steps) {
					// Nobody goes on from here, so it may as well be seen twice.
					if (++this.last % CALM == 0) {
						this.sample.add(step.world());
					}
					continue;
				}
				SlotWorld world = pooled(step.world(), node.world);
				if (!this.seen.add(new Key(world))) {
					continue;
				}
				if (this.seen.size() % CALM == 0) {
					this.sample.add(world);
				}
				open.add(new Node(world, node, step.name(), node.depth + 1));
			}
		}
		return null;
	}

	/* What a step has left as it was is pooled already. */
	private SlotWorld pooled(SlotWorld any, @Nullable SlotWorld before) {
		SlotWorld world = this.live.of(any, before);
		boolean first = before == null;
		List<Shard> shards = new ArrayList<>();
		for (int i = 0; i < world.shards().size(); i++) {
			Shard shard = world.shards().get(i);
			shards.add((!first && before.shards().get(i) == shard) ? shard : pooled(shard));
		}
		return new SlotWorld(world.now(),
				(!first && before.lease() == world.lease()) ? world.lease() : pooled(world.lease()), world.uids(),
				pooled(world.deleted()), pooled(world.copy()), world.moved(), world.acting(), shards,
				pooled(world.flights()),
				(!first && before.sharder() == world.sharder()) ? world.sharder() : pooled(world.sharder()),
				pooled(world.left()));
	}

	@SuppressWarnings("unchecked")
	private <T extends @Nullable Object> T pooled(T part) {
		if (part == null) {
			return part;
		}
		Object known = this.pool.putIfAbsent(part, part);
		return (known != null) ? (T) known : part;
	}

	private static String trace(Node last, String wrong) {
		List<String> steps = new ArrayList<>();
		for (Node node = last; node.before != null; node = node.before) {
			steps.add("at %s s: %s".formatted(SlotScene.TICK.multipliedBy(node.before.world.now()).toMillis() / 1000.0,
					node.step));
		}
		Collections.reverse(steps);
		return wrong + System.lineSeparator() + String.join(System.lineSeparator(), steps);
	}

	private record Node(SlotWorld world, @Nullable Node before, String step, int depth) {
	}

	/**
	 * A world of pooled parts.
	 */
	private static final class Key {

		private final Object[] parts;

		private final int hash;

		Key(SlotWorld world) {
			List<Object> all = new ArrayList<>(world.shards());
			Object none = "none";
			Collections.addAll(all, (world.lease() != null) ? world.lease() : none,
					(world.copy() != null) ? world.copy() : none, (world.deleted() != null) ? world.deleted() : none,
					world.flights(), world.sharder(), world.left(), world.acting());
			this.parts = all.toArray();
			int code = 31 * (31 * world.now() + world.uids()) + Boolean.hashCode(world.moved());
			for (Object part : this.parts) {
				code = 31 * code + System.identityHashCode(part);
			}
			this.numbers = 1_000 * world.now() + 2 * world.uids() + (world.moved() ? 1 : 0);
			this.hash = code;
		}

		private final int numbers;

		@Override
		public boolean equals(@Nullable Object other) {
			if (!(other instanceof Key key) || this.hash != key.hash || this.numbers != key.numbers) {
				return false;
			}
			for (int i = 0; i < this.parts.length; i++) {
				if (this.parts[i] != key.parts[i]) {
					return false;
				}
			}
			return true;
		}

		@Override
		public int hashCode() {
			return this.hash;
		}

	}

}
