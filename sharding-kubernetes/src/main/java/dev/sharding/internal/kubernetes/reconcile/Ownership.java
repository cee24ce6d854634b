package dev.sharding.internal.kubernetes.reconcile;

import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.protocol.Responsibility;

/**
 * Tells what this process has to do with an object of a main resource.
 */
@FunctionalInterface
public interface Ownership {

	/** Outside any ring every object is ours. */
	Ownership EVERYTHING = (labels) -> Responsibility.RECONCILE;

	/**
	 * Judges an object.
	 * @param labels its labels, or {@code null} if it has none
	 * @return what to do with it
	 */
	Responsibility of(@Nullable Map<String, String> labels);

	/**
	 * The ownership of a shard.
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard
	 * @return ours is what carries our label
	 */
	static Ownership of(String ring, String shard) {
		return of(ring, () -> shard);
	}

	/**
	 * The ownership of a shard whose name changes.
	 * @param ring the name of the ControllerRing
	 * @param shard tells the name of the shard, empty while it has none
	 * @return ours is what carries our label
	 */
	static Ownership of(String ring, Supplier<String> shard) {
		return (labels) -> {
			String name = shard.get();
			return name.isEmpty() ? Responsibility.NOT_MINE : Responsibility.of(labels, ring, name);
		};
	}

}
