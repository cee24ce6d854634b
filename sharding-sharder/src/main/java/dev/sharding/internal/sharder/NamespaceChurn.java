package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Says when a ring looks at the namespaces that came into its scope or left it. One that
 * did neither lately is looked at soon. One that goes on to come and leave waits longer
 * each time, up to a bound, and delays no other. Looks that cost more lists than twelve
 * in a minute and eight in each further one wait as well, up to the same bound, and are
 * at all that changed meanwhile.
 */
final class NamespaceChurn {

	static final Duration SHORTEST = Duration.ofMillis(250);

	static final Duration LONGEST = Duration.ofSeconds(15);

	private static final int GROWTH = 4;

	/* As often as that, a list costs nobody a wait. */
	private static final long EACH_LIST = Duration.ofMillis(7_500).toNanos();

	/* The lists that may be ahead of that. */
	private static final int AHEAD = 3;

	/* Of more than these that came one list finds all: one more costs nothing. */
	static final int FEW = 3;

	private final Map<String, Turn> waiting = new LinkedHashMap<>();

	/* By name: those of late. */
	private final Map<String, Look> looked = new HashMap<>();

	/* When the lists so far will have been paid for, one after the other. */
	private @Nullable Long paid;

	/* The next look. */
	private @Nullable Long planned;

	/**
	 * Notes a namespace.
	 * @param now the monotonic time in nanoseconds
	 * @return after how long to look; {@code null} if that was said already
	 */
	@Nullable Duration add(String name, long now) {
		if (this.waiting.containsKey(name)) {
			return null;
		}
		Look last = this.looked.get(name);
		Duration wait = (last != null && last.isOfLate(now)) ? longer(last.waited) : SHORTEST;
		Turn turn = new Turn(now, wait);
		this.waiting.put(name, turn);
		return plan(turn, now);
	}

	private static Duration longer(Duration wait) {
		Duration longer = wait.multipliedBy(GROWTH);
		return (longer.compareTo(LONGEST) < 0) ? longer : LONGEST;
	}

	private @Nullable Duration plan(Turn turn, long now) {
		long at = Math.min(Math.max(turn.due(), affordable(turn.since)), turn.since + LONGEST.toNanos());
		if (this.planned != null && this.planned <= at) {
			return null;
		}
		this.planned = at;
		return Duration.ofNanos(at - now);
	}

	/* When a look is not too much, from a time on. */
	private long affordable(long from) {
		return (this.paid != null) ? Math.max(from, this.paid - AHEAD * EACH_LIST) : from;
	}

	/**
	 * Returns the namespaces to look at now; {@link #cost} has to follow.
	 * @return their names; none if this look was put forward
	 */
	Set<String> look(long now) {
		if (this.planned == null || this.planned > now) {
			return Set.of();
		}
		this.planned = null;
		this.looked.values().removeIf((look) -> !look.isOfLate(now));
		boolean all = this.waiting.size() > FEW || affordable(now) > now;
		Set<String> names = new HashSet<>();
		this.waiting.forEach((name, turn) -> {
			if (all || turn.due() <= now) {
				names.add(name);
				this.looked.put(name, new Look(now, turn.patience));
			}
		});
		this.waiting.keySet().removeAll(names);
		return names;
	}

	/**
	 * Notes what the look cost.
	 * @param lists how many lists
	 * @return after how long to look at the others; {@code null} if that was said already
	 */
	@Nullable Duration cost(int lists, long now) {
		long most = now + AHEAD * EACH_LIST + LONGEST.toNanos();
		long before = (this.paid != null) ? Math.max(this.paid, now) : now;
		this.paid = Math.min(before + lists * EACH_LIST, most);
		Duration next = null;
		for (Turn turn : this.waiting.values()) {
			Duration sooner = plan(turn, now);
			next = (sooner != null) ? sooner : next;
		}
		return next;
	}

	/**
	 * A namespace that came or left.
	 *
	 * @param since when it did
	 * @param patience how long it waits, if looks do not cost too much
	 */
	private record Turn(long since, Duration patience) {

		private long due() {
			return this.since + this.patience.toNanos();
		}

	}

	/**
	 * What was done about a namespace last.
	 *
	 * @param at when
	 * @param waited how long it had to wait of its own
	 */
	private record Look(long at, Duration waited) {

		/* Whether it goes on to change if it does so now. */
		private boolean isOfLate(long now) {
			return now - this.at <= LONGEST.toNanos();
		}

	}

}
