package dev.sharding.internal.core.slot;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

import dev.sharding.internal.core.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * When the leading sharder gives newcomers their part of the objects: those that come
 * within the settle time of each other come in with one ring, at the latest five settle
 * times after the first of them.
 *
 * @param settled the shards that have their part, and hold their Lease or are waited for
 * @param newcomers those that hold their Lease and do not have their part yet
 * @param first when the first of the newcomers came, {@code null} if there is none
 * @param last when the last of them came, {@code null} if there is none
 */
public record Settling(SortedSet<String> settled, SortedSet<String> newcomers, @Nullable Moment first,
		@Nullable Moment last) {

	/** How many settle times newcomers wait at most. */
	public static final int MOST_IN_A_ROW = 5;

	/** Nobody was seen yet. */
	public static final Settling NOBODY = new Settling(Collections.emptySortedSet(), Collections.emptySortedSet(), null,
			null);

	/**
	 * Copies the names.
	 */
	public Settling {
		settled = Collections.unmodifiableSortedSet(new TreeSet<>(settled));
		newcomers = Collections.unmodifiableSortedSet(new TreeSet<>(newcomers));
	}

	/**
	 * Adds a look at the ring.
	 * @param nowSettled the shards with seats {@link Seat#AVAILABLE} and
	 * {@link Seat#GIVEN_BACK}
	 * @param nowNew those with seat {@link Seat#SETTLING}
	 * @param now the current moment
	 * @return what is known next
	 */
	public Settling next(SortedSet<String> nowSettled, SortedSet<String> nowNew, Moment now) {
		if (nowNew.isEmpty()) {
			return new Settling(nowSettled, nowNew, null, null);
		}
		boolean arrival = this.last == null || !this.newcomers.containsAll(nowNew);
		return new Settling(nowSettled, nowNew, (this.first != null) ? this.first : now, arrival ? now : this.last);
	}

	/**
	 * Returns how long until all newcomers get their part. A departure makes a new ring
	 * anyway, so they come in with it.
	 * @param before what was known before the last look: whoever was settled then and is
	 * not any more has left
	 * @param settle the settle time
	 * @param now the current moment
	 * @return zero if they get it now, {@code null} if there are none
	 */
	public @Nullable Duration untilSettled(Settling before, Duration settle, Moment now) {
		if (this.first == null || this.last == null) {
			return null;
		}
		if (this.settled.isEmpty() || !this.settled.containsAll(before.settled)) {
			return Duration.ZERO;
		}
		Duration quiet = settle.minus(now.observedSince(this.last));
		Duration most = settle.multipliedBy(MOST_IN_A_ROW).minus(now.observedSince(this.first));
		Duration left = (quiet.compareTo(most) < 0) ? quiet : most;
		return left.isNegative() ? Duration.ZERO : left;
	}

}
