package dev.sharding.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.internal.kubernetes.reconcile.KnownFilter;

/**
 * Tells which changes of a main object are worth a reconcile. It is not asked about an
 * object that is new to this process, or that is looked at again after the Lease was
 * taken over or in a resync: what happened to it meanwhile is unknown. And whatever it
 * says, a drain is acknowledged. To leave objects out altogether, see
 * {@link ControllerSpec.Builder#select}.
 *
 * @param <T> the main resource
 */
@FunctionalInterface
public interface EventFilter<T extends HasMetadata> {

	/**
	 * Judges one change, on the thread for filters and mappers of its controller. One
	 * that takes long holds up that controller; one that throws has the object
	 * reconciled. Must not modify the objects.
	 * @param before the state that was known so far
	 * @param after the state that is known now
	 * @return {@code true} to have the object reconciled
	 */
	boolean accepts(T before, T after);

	/**
	 * Accepts only changes that this filter and {@code other} accept.
	 * @param other another filter
	 * @return both
	 */
	default EventFilter<T> and(EventFilter<? super T> other) {
		return (before, after) -> accepts(before, after) && acceptedBy(other, before, after);
	}

	private static <S extends HasMetadata> boolean acceptedBy(EventFilter<S> filter, S before, S after) {
		return filter.accepts(before, after);
	}

	/**
	 * Accepts every change.
	 * @param <T> the main resource
	 * @return the filter
	 */
	static <T extends HasMetadata> EventFilter<T> all() {
		return KnownFilter.ALL.cast();
	}

	/**
	 * Accepts changes of the specification only: those that the API server counts in
	 * {@code metadata.generation}, and the beginning of a deletion. Objects of resources
	 * without a generation are always accepted.
	 * @param <T> the main resource
	 * @return the filter
	 */
	static <T extends HasMetadata> EventFilter<T> generationChanged() {
		return KnownFilter.GENERATION_CHANGED.cast();
	}

}
