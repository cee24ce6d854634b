package dev.sharding.core.overlay;

import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * A write of which nobody can tell whether the store already shows it.
 *
 * @param key the key, or {@code null} if the API server was to make up the name
 * @param base the version that the write was based on, or {@code null}
 * @param targets the keys it may have changed
 * @param ending the events that show what happened
 * @param since when the doubt arose
 */
record Doubt<K, T>(ObjectAccess<K, T> access, @Nullable K key, @Nullable String base, Predicate<K> targets,
		Predicate<ObservedEvent<T>> ending, long since) {

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

	Doubt<K, T> since(long time) {
		return new Doubt<>(this.access, this.key, this.base, this.targets, this.ending, time);
	}

	/*
	 * Two versions that cannot be ordered can still be the same.
	 */
	static <K, T> Doubt<K, T> ofUncomparable(ObjectAccess<K, T> access, K key, @Nullable String version, long now) {
		return new Doubt<>(access, key, null, key::equals,
				(event) -> version != null && version.equals(access.version(event.object())), now);
	}

	/*
	 * With a lock our write can only be the step after its base, so the first newer state
	 * of the object tells: it contains our write, or somebody else's that made ours fail.
	 */
	static <K, T> Doubt<K, T> ofUnknownOutcome(ObjectAccess<K, T> access, OwnWrite<K, T> write, long now) {
		String base = (write instanceof OwnWrite.Update<K, T> update) ? update.baseVersion() : null;
		return new Doubt<>(access, write.key(), base, write::mayTarget,
				(event) -> base != null && isNewer(access.version(event.object()), base), now);
	}

	private static boolean isNewer(@Nullable String version, String base) {
		return FeedPosition.notOlder(version, base) && !base.equals(version);
	}

}
