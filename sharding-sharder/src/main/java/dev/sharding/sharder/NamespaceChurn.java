package dev.sharding.sharder;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Says when a ring looks at the namespaces that came into its scope or left it. A single
 * one is looked at soon. While they go on to change, each look waits longer than the one
 * before, up to a bound, and is at all that changed meanwhile: so a stream of changes
 * costs few looks.
 */
final class NamespaceChurn {

	static final Duration SHORTEST = Duration.ofMillis(250);

	static final Duration LONGEST = Duration.ofSeconds(15);

	private static final int GROWTH = 4;

	private final Set<String> names = new LinkedHashSet<>();

	private Duration wait = SHORTEST;

	private @Nullable Long looked;

	/**
	 * Notes a namespace.
	 * @param now the monotonic time in nanoseconds
	 * @return after how long to look; {@code null} if that was said already
	 */
	@Nullable Duration add(String name, long now) {
		if (!this.names.add(name) || this.names.size() > 1) {
			return null;
		}
		boolean goesOn = this.looked != null && now - this.looked <= LONGEST.toNanos();
		this.wait = goesOn ? longer(this.wait) : SHORTEST;
		return this.wait;
	}

	private static Duration longer(Duration wait) {
		Duration longer = wait.multipliedBy(GROWTH);
		return (longer.compareTo(LONGEST) < 0) ? longer : LONGEST;
	}

	/** The namespaces to look at now. */
	Set<String> look(long now) {
		Set<String> changed = Set.copyOf(this.names);
		this.names.clear();
		this.looked = now;
		return changed;
	}

}
