package dev.sharding.internal.core.overlay;

import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A write of which nobody can tell whether the store already shows it, or several tries
 * of it.
 *
 * @param key the key, or {@code null} if the API server was to make up the name
 * @param base the version that the write was based on, or {@code null}
 * @param targets the keys it may have changed
 * @param ending the events that show what happened
 * @param ordered whether the version of the object has an order
 * @param located the version at which the API server has the object, which the feed has
 * not reached; {@code null} if nobody asked
 * @param first the order of the first try that is in doubt
 * @param since when the doubt arose
 */
record Doubt<K, T>(ObjectAccess<K, T> access, @Nullable K key, @Nullable String base, Predicate<K> targets,
		Predicate<ObservedEvent<T>> ending, boolean ordered, @Nullable String located, long first, long since) {

	boolean mayTarget(K key) {
		return this.targets.test(key);
	}

	boolean endsWith(ObservedEvent<T> event) {
		return mayTarget(this.access.key(event.object())) && this.ending.test(event);
	}

	/*
	 * Whoever cannot reach the API server tries again and again. What ends the doubt
	 * about the last try of a write ends those about the earlier ones.
	 */
	boolean repeats(Doubt<K, T> earlier) {
		return this.key != null && this.key.equals(earlier.key) && Objects.equals(this.base, earlier.base);
	}

	/** With an earlier try. */
	Doubt<K, T> repeating(Doubt<K, T> earlier) {
		return new Doubt<>(this.access, this.key, this.base, this.targets, this.ending, this.ordered, null,
				Math.min(this.first, earlier.first), Math.min(this.since, earlier.since));
	}

	/** Without the tries before {@code first}. */
	Doubt<K, T> from(long first) {
		return new Doubt<>(this.access, this.key, this.base, this.targets, this.ending, this.ordered, this.located,
				first, this.since);
	}

	Doubt<K, T> located(K key, String version) {
		return new Doubt<>(this.access, key, this.base, key::equals, this.ending, this.ordered, version, this.first,
				this.since);
	}

	/*
	 * Two versions that cannot be ordered can still be the same.
	 */
	static <K, T> Doubt<K, T> ofUncomparable(ObjectAccess<K, T> access, K key, @Nullable String version, long order,
			long now) {
		return new Doubt<>(access, key, null, key::equals,
				(event) -> version != null && version.equals(access.version(event.object())), false, null, order, now);
	}

	/*
	 * With a lock our write can only be the step after its base, so the first newer state
	 * of the object tells: it contains our write, or somebody else's that made ours fail.
	 */
	static <K, T> Doubt<K, T> ofUnknownOutcome(ObjectAccess<K, T> access, OwnWrite<K, T> write, long order, long now) {
		String base = (write instanceof OwnWrite.Update<K, T> update) ? update.baseVersion() : null;
		return new Doubt<>(access, write.key(), base, write::mayTarget,
				(event) -> base != null && isNewer(access.version(event.object()), base), true, null, order, now);
	}

	private static boolean isNewer(@Nullable String version, String base) {
		return FeedPosition.notOlder(version, base) && !base.equals(version);
	}

}
