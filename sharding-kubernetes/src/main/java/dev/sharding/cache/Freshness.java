package dev.sharding.cache;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.Internal;
import dev.sharding.internal.core.read.ResourceVersions;

/**
 * How fresh the answer to a read must be. A value: compare with {@code equals}.
 */
public final class Freshness {

	private static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(10);

	/**
	 * Whatever the informer has seen so far, which may be older than own writes. Waits
	 * for the first list of the resource, as {@link #READ_YOUR_WRITES} does.
	 */
	public static final Freshness ANY = new Freshness("ANY", null, null, false, null);

	/**
	 * No older than any write that this process made through its caches, or handed in,
	 * and that returned before the read began. The default. Answered from memory, but for
	 * objects of which nobody can tell whether a write happened: then the API server is
	 * asked. As long as the resource was never listed, a read waits for that, for at most
	 * 10 s unless {@link #within} says otherwise, and ends with a
	 * {@link CacheNotFilledException} rather than with nothing.
	 */
	public static final Freshness READ_YOUR_WRITES = new Freshness("READ_YOUR_WRITES", null, null, false, null);

	/**
	 * As fresh as the API server itself: a state that was the latest at some moment
	 * between the beginning and the end of the read, whoever wrote it (linearizable). One
	 * object is read from the API server. For more, the API server is asked which objects
	 * there are in which versions, readers who come at the same time share that question,
	 * and the answer comes from memory once memory has caught up with it. Blocks for at
	 * most 10 s unless {@link #within} says otherwise; ends with a
	 * {@link ConsistentReadException} rather than with something older. Within a shard
	 * the latest state is that of the objects which carry its label.
	 */
	public static final Freshness CONSISTENT = new Freshness("CONSISTENT", null, DEFAULT_DEADLINE, false, null);

	/**
	 * As {@link #CONSISTENT}, and answered by the API server itself, whatever the
	 * strategy of the resource: to find out whether a cache is right, or to do without
	 * it. A list transfers the whole scope. Works also while a cache cannot list or
	 * watch. Such requests are limited and counted like others. The cache learns from the
	 * answers, so that no later read shows anything older.
	 */
	public static final Freshness LIVE = new Freshness("LIVE", null, DEFAULT_DEADLINE, false, null);

	private final String name;

	private final @Nullable String version;

	private final @Nullable Duration deadline;

	private final boolean orLive;

	private final @Nullable ReadCancellation cancellation;

	private Freshness(String name, @Nullable String version, @Nullable Duration deadline, boolean orLive,
			@Nullable ReadCancellation cancellation) {
		this.name = name;
		this.version = version;
		this.deadline = deadline;
		this.orLive = orLive;
		this.cancellation = cancellation;
	}

	/**
	 * No older than a version, and no older than own writes. Answered from memory if the
	 * informer has got that far, else as {@link #CONSISTENT}; a version that the API
	 * server itself has not reached is waited for.
	 * @param resourceVersion a version that the API server has given out for an object or
	 * a list of the same resource
	 * @return the freshness
	 * @throws IllegalArgumentException if versions of this form cannot be compared
	 */
	public static Freshness atLeast(String resourceVersion) {
		if (!ResourceVersions.isComparable(resourceVersion)) {
			throw new IllegalArgumentException(
					"'resourceVersion' must be comparable (is %s): use CONSISTENT".formatted(resourceVersion));
		}
		return new Freshness("AT_LEAST", resourceVersion, DEFAULT_DEADLINE, false, null);
	}

	/**
	 * This freshness with another deadline.
	 * @param limit how long a read may block, positive
	 * @return the freshness
	 */
	public Freshness within(Duration limit) {
		if (limit.isNegative() || limit.isZero()) {
			throw new IllegalArgumentException("'limit' must be positive (is %s)".formatted(limit));
		}
		return new Freshness(this.name, this.version, limit, this.orLive, this.cancellation);
	}

	/**
	 * This freshness, with one list by the API server where memory did not get there in
	 * time. It may take as long again. A {@link #CONSISTENT} {@code get} is a live read
	 * already, so there is no second one after it: this spares it only the wait for the
	 * cache where that could still show what is gone. Nothing comes after {@link #LIVE}.
	 * @return the freshness
	 * @throws IllegalStateException if memory alone answers reads of this freshness
	 */
	public Freshness orLive() {
		if (isMemory()) {
			throw new IllegalStateException(
					"Reads of freshness %s are answered from memory: use CONSISTENT".formatted(this.name));
		}
		return isLive() ? this : new Freshness(this.name, this.version, this.deadline, true, this.cancellation);
	}

	/**
	 * This freshness, for reads that somebody else may end.
	 * @param by ends them
	 * @return the freshness
	 */
	public Freshness cancelledBy(ReadCancellation by) {
		return new Freshness(this.name, this.version, this.deadline, this.orLive, by);
	}

	/** As fresh, and not older than a version. */
	@Internal
	public Freshness reaching(String resourceVersion) {
		boolean later = this.version != null
				&& ResourceVersions.compare(this.version, resourceVersion) == ResourceVersions.Order.AFTER;
		return later ? this : new Freshness(isLatest() ? this.name : "AT_LEAST", resourceVersion, limit(), this.orLive,
				this.cancellation);
	}

	/** Whether it must be the latest state, whatever version it has to reach besides. */
	@Internal
	public boolean isLatest() {
		return this.name.equals(CONSISTENT.name) || isLive();
	}

	/** Whether the API server must answer it. */
	@Internal
	public boolean isLive() {
		return this.name.equals(LIVE.name);
	}

	/** Whether it is answered from memory as it is, once memory was filled. */
	@Internal
	public boolean isMemory() {
		return !isLatest() && this.version == null;
	}

	/** Whether it may be older than own writes. */
	@Internal
	public boolean isAny() {
		return this.name.equals(ANY.name);
	}

	/** How long a read may wait, whatever for. */
	@Internal
	public Duration limit() {
		return (this.deadline != null) ? this.deadline : DEFAULT_DEADLINE;
	}

	/** How long a read may wait, or {@code null} if it did not say. */
	@Internal
	public @Nullable Duration deadline() {
		return this.deadline;
	}

	/** The version to be reached, or {@code null} if there is none. */
	@Internal
	public @Nullable String version() {
		return this.version;
	}

	@Internal
	public boolean isOrLive() {
		return this.orLive;
	}

	@Internal
	public @Nullable ReadCancellation cancellation() {
		return this.cancellation;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Freshness freshness && this.name.equals(freshness.name)
				&& Objects.equals(this.version, freshness.version) && Objects.equals(this.deadline, freshness.deadline)
				&& this.orLive == freshness.orLive && this.cancellation == freshness.cancellation;
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.name, this.version, this.deadline, this.orLive);
	}

	@Override
	public String toString() {
		return (this.version != null) ? this.name + " " + this.version : this.name;
	}

}
