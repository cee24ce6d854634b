package dev.sharding.kubernetes.reconcile;

import java.util.Objects;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Tells which events of the main resource are worth a reconcile. Whatever it says, a
 * drain is acknowledged.
 *
 * @param <T> the main resource
 */
@FunctionalInterface
public interface EventFilter<T extends HasMetadata> {

	/**
	 * Judges one event. Must be quick, and must not modify the objects.
	 * @param before the state that was known so far, or {@code null} if the object is new
	 * to this shard, or is looked at for no particular reason (take-over, resync)
	 * @param after the state that is known now
	 * @return {@code true} to have the object reconciled
	 */
	boolean accepts(@Nullable T before, T after);

	/**
	 * Accepts only events that this filter and {@code other} accept.
	 * @param other another filter
	 * @return both
	 */
	default EventFilter<T> and(EventFilter<? super T> other) {
		return (before, after) -> accepts(before, after) && acceptedBy(other, before, after);
	}

	private static <S extends HasMetadata> boolean acceptedBy(EventFilter<S> filter, @Nullable S before, S after) {
		return filter.accepts(before, after);
	}

	/**
	 * Accepts every event.
	 * @param <T> the main resource
	 * @return the filter
	 */
	static <T extends HasMetadata> EventFilter<T> all() {
		return (before, after) -> true;
	}

	/**
	 * Accepts changes of the specification only: those that the API server counts in
	 * {@code metadata.generation}, and the beginning of a deletion. Objects of resources
	 * without a generation are always accepted.
	 * @param <T> the main resource
	 * @return the filter
	 */
	static <T extends HasMetadata> EventFilter<T> generationChanged() {
		return (before, after) -> before == null || after.getMetadata().getGeneration() == null
				|| !Objects.equals(before.getMetadata().getGeneration(), after.getMetadata().getGeneration())
				|| (before.getMetadata().getDeletionTimestamp() == null
						&& after.getMetadata().getDeletionTimestamp() != null);
	}

	/**
	 * Accepts objects by their new state.
	 * @param <T> the main resource
	 * @param predicate judges the new state
	 * @return the filter
	 */
	static <T extends HasMetadata> EventFilter<T> matching(Predicate<? super T> predicate) {
		return (before, after) -> predicate.test(after);
	}

}
