package dev.sharding.internal.core.assignment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

import dev.sharding.internal.core.assignment.DrainPlay.Step;
import org.jspecify.annotations.Nullable;

/**
 * Plays all interleavings of a scene, step by step, each world once.
 */
final class DrainExplorer {

	private final DrainPlay play;

	private final int steps;

	private final Set<DrainWorld> seen = new LinkedHashSet<>();

	private DrainExplorer(DrainPlay play, int steps) {
		this.play = play;
		this.steps = steps;
	}

	/**
	 * Plays a scene.
	 * @param scene the name of a {@link DrainScene}
	 * @param fault the name of a {@link DrainFault}
	 * @param steps how many steps a play has at most
	 * @return a shortest play that goes wrong, {@code null} if none does
	 */
	static @Nullable String explore(String scene, String fault, int steps) {
		DrainScene of = DrainScene.valueOf(scene);
		return new DrainExplorer(new DrainPlay(of, DrainFault.valueOf(fault)), steps).explore(of.begin());
	}

	/**
	 * Counts the worlds of a scene.
	 * @return all that there are after up to so many steps
	 */
	static Set<DrainWorld> worlds(DrainScene scene, int steps) {
		DrainExplorer explorer = new DrainExplorer(new DrainPlay(scene, DrainFault.NONE), steps);
		String wrong = explorer.explore(scene.begin());
		if (wrong != null) {
			throw new AssertionError(wrong);
		}
		return explorer.seen;
	}

	private @Nullable String explore(DrainWorld first) {
		Queue<Node> open = new ArrayDeque<>();
		open.add(new Node(first.canonical(), null, "", 0));
		while (!open.isEmpty()) {
			Node node = open.remove();
			for (Step step : this.play.next(node.world)) {
				DrainWorld world = step.world().canonical();
				Node next = new Node(world, node, step.name(), node.depth + 1);
				String wrong = (step.wrong() != null) ? step.wrong() : this.play.wrong(world);
				if (wrong != null) {
					return trace(next, wrong);
				}
				if (this.seen.add(world) && next.depth < this.steps) {
					open.add(next);
				}
			}
		}
		return null;
	}

	private static String trace(Node last, String wrong) {
		List<String> steps = new ArrayList<>();
		for (Node node = last; node.before != null; node = node.before) {
			steps.add("at %s s: %s".formatted(DrainScene.TICK.multipliedBy(node.before.world.now()).toMillis() / 1000.0,
					node.step));
		}
		Collections.reverse(steps);
		return wrong + System.lineSeparator() + String.join(System.lineSeparator(), steps);
	}

	private record Node(DrainWorld world, @Nullable Node before, String step, int depth) {
	}

}
