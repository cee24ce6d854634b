package dev.sharding.demo.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What is to go wrong when, all of it known before anything starts. It is a function of
 * extent and seed and of nothing else.
 *
 * @param extent how large the run is
 * @param seed what it was drawn from
 * @param faults in the order of their minutes and times
 */
record Schedule(Extent extent, long seed, List<Planned> faults) {

	/** So many processes can start in a minute on a small machine. */
	static final int STARTS = 6;

	/** What the protocol is for, and so comes twice as often as the rest. */
	private static final Set<Kind> TWICE = EnumSet.of(Kind.KILL_SHARD, Kind.PAUSE_SHARD, Kind.CUT_SHARD,
			Kind.HALF_OPEN_SHARD, Kind.KILL_LEADER, Kind.PAUSE_LEADER);

	private static final long FIRST = 1500;

	private static final long GAP = 2500;

	/** For how long a fault waits for what it is to see. */
	private static final long SEEN_WITHIN = 6000;

	/** How many kinds in a row may not fit before the minute is full. */
	private static final int TRIES = 6;

	Schedule {
		faults = List.copyOf(faults);
	}

	/** The schedule of a seed. */
	static Schedule of(Extent extent, long seed) {
		return of(extent, seed, EnumSet.allOf(Kind.class));
	}

	/** The schedule of a seed and some faults, each as often as another. */
	static Schedule of(Extent extent, long seed, Set<Kind> kinds) {
		return new Schedule(extent, seed, new Draw(extent, new Random(seed), kinds).all());
	}

	List<Planned> of(int minute) {
		return this.faults.stream().filter((fault) -> fault.minute() == minute).toList();
	}

	/**
	 * The same with some of its faults only, and without the minutes that have none left.
	 */
	Schedule with(List<Planned> some) {
		List<Integer> minutes = some.stream().map(Planned::minute).distinct().sorted().toList();
		List<Planned> kept = some.stream().map((fault) -> fault.inMinute(minutes.indexOf(fault.minute()) + 1)).toList();
		return new Schedule(this.extent.during(Math.max(1, minutes.size())), this.seed, kept);
	}

	/** Draws kind after kind, each of them once or twice before the next round. */
	private static final class Draw {

		private final Extent extent;

		private final Random random;

		private final Set<Kind> kinds;

		private final Deque<Kind> deck = new ArrayDeque<>();

		private final List<Planned> faults = new ArrayList<>();

		/** From when on each ring, and after the rings the sharders, can be struck. */
		private final long[] free;

		Draw(Extent extent, Random random, Set<Kind> kinds) {
			this.extent = extent;
			this.random = random;
			this.kinds = kinds;
			this.free = new long[extent.rings() + 1];
		}

		List<Planned> all() {
			for (int minute = 1; minute <= this.extent.minutes(); minute++) {
				minute(minute);
			}
			this.faults.sort(Comparator.comparingInt(Planned::minute).thenComparingLong(Planned::at));
			return this.faults;
		}

		private void minute(int minute) {
			Arrays.fill(this.free, FIRST);
			int starts = 0;
			List<Kind> later = new ArrayList<>();
			int before = this.faults.size();
			while (later.size() < TRIES && !(waitsForOthers(later) && this.faults.size() > before)) {
				Kind kind = next();
				Planned fault = (starts + starts(kind) <= STARTS || starts == 0) ? placed(minute, kind) : null;
				if (fault == null) {
					later.add(kind);
				}
				else {
					this.faults.add(fault);
					starts += starts(kind);
				}
			}
			Collections.reverse(later);
			later.forEach(this.deck::addFirst);
		}

		/**
		 * No round begins while kinds of the last one have found no room in this minute:
		 * else a kind can fall behind by a whole round. Where none of them fits into any
		 * minute, a minute without faults does not wait for them.
		 */
		private boolean waitsForOthers(List<Kind> later) {
			return this.deck.isEmpty() && !later.isEmpty();
		}

		private int starts(Kind kind) {
			return kind.starts(this.extent);
		}

		private Kind next() {
			if (this.deck.isEmpty()) {
				List<Kind> kinds = new ArrayList<>(this.kinds);
				if (kinds.size() == Kind.values().length) {
					kinds.addAll(TWICE);
				}
				Collections.shuffle(kinds, this.random);
				this.deck.addAll(kinds);
			}
			return this.deck.removeFirst();
		}

		/** Where it fits into the minute, null if nowhere. */
		private @Nullable Planned placed(int minute, Kind kind) {
			int secret = this.random.nextInt(this.extent.objects());
			int ring = kind.whom().ofRing() ? this.extent.ringOf(secret) : this.random.nextInt(this.extent.rings());
			long from = from(kind, ring) + this.random.nextInt((int) GAP);
			boolean sees = !kind.whom().alone() && this.random.nextInt(3) == 0;
			Sight when = sees ? Sight.values()[this.random.nextInt(Sight.values().length)] : null;
			long lasts = lasts(kind);
			long over = from + lasts + kind.recovery();
			if (over > this.extent.windowMillis()) {
				return null;
			}
			long by = sees ? from + Math.min(SEEN_WITHIN, this.extent.windowMillis() - over) : from;
			Planned fault = new Planned(minute, from, when, by, kind, ring, secret, lasts);
			take(kind, ring, fault.over());
			return fault;
		}

		/** Every other one about as long as it may be, so that Leases end. */
		private long lasts(Kind kind) {
			double share = this.random.nextDouble();
			return kind.shortest()
					+ (long) ((this.random.nextBoolean() ? 1 - share / 4 : share) * (kind.longest() - kind.shortest()));
		}

		private long from(Kind kind, int ring) {
			if (kind.whom().alone()) {
				return Arrays.stream(this.free).max().orElse(FIRST);
			}
			return this.free[kind.whom().ofRing() ? ring : this.extent.rings()];
		}

		private void take(Kind kind, int ring, long until) {
			if (kind.whom().alone()) {
				Arrays.fill(this.free, until);
			}
			else {
				this.free[kind.whom().ofRing() ? ring : this.extent.rings()] = until;
			}
		}

	}

}
