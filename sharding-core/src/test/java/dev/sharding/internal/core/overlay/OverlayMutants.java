package dev.sharding.internal.core.overlay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Pattern;

import dev.sharding.internal.core.SourceMutants;
import dev.sharding.internal.core.SourceMutants.Mutant;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the overlay's sources with one rule taken away and plays random interleavings
 * against the result.
 */
final class OverlayMutants {

	private static final String PACKAGE = "dev.sharding.internal.core.overlay.";

	private static final Path SOURCES = SourceMutants.sources("overlay");

	/** Loops, and what collections call for each of their elements. */
	private static final Pattern LOOP = Pattern
		.compile("\\b(for|while) \\(.*\\) \\{|\\.(forEach|removeIf)\\(\\(.*\\) -> \\{");

	private OverlayMutants() {
	}

	/**
	 * Plays up to {@code sequences} interleavings.
	 * @param seed the seed of the first, the others follow
	 * @return how the mutant died, or {@code null} if it survived
	 */
	static @Nullable Death play(Mutant mutant, int sequences, long seed) throws Exception {
		Method play = SourceMutants.load(SOURCES, PACKAGE, mutant::applyTo)
			.loadClass(PACKAGE + "Interleaving")
			.getDeclaredMethod("play", int[].class);
		play.setAccessible(true);
		for (int i = 0; i < sequences; i++) {
			try {
				play.invoke(null, (Object) script(new Random(seed + i)));
			}
			catch (InvocationTargetException ex) {
				return new Death(i + 1, ex.getCause());
			}
		}
		return null;
	}

	/**
	 * Runs a scenario of {@link OverlaySteps} on the overlay as it is.
	 * @return how many rounds of loops it took
	 */
	static long countSteps(String scenario, int size) throws Exception {
		Method play = SourceMutants
			.load(SOURCES, PACKAGE, (file, text) -> LOOP.matcher(text).replaceAll("$0 OverlaySteps.take();"))
			.loadClass(PACKAGE + "OverlaySteps")
			.getDeclaredMethod(scenario, int.class);
		play.setAccessible(true);
		return (long) play.invoke(null, size);
	}

	private static int[] script(Random random) {
		return random.ints(5 + random.nextInt(56), 0, 100_001).toArray();
	}

	/**
	 * How a mutant died.
	 */
	record Death(int sequences, Throwable cause) {
	}

}
