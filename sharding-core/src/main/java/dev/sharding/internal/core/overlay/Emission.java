package dev.sharding.internal.core.overlay;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * An event and whom it is for.
 *
 * @param event the event, as the informer saw it
 * @param only the single writer that it is for, because all others had it before; or
 * {@code null} if it is for everybody but {@code except}
 * @param except the writers that get it later or, being its proven author, never
 * @param <T> the object
 */
public record Emission<T>(ObservedEvent<T> event, @Nullable Object only, Set<Object> except) {

	/**
	 * Tells whether the event is for {@code writer}. One that never wrote the object is
	 * asked for in the same way and gets each event once.
	 */
	public boolean reaches(Object writer) {
		return (this.only != null) ? this.only.equals(writer) : !this.except.contains(writer);
	}

	/**
	 * Returns an emission of {@code event} to everybody but some writers.
	 */
	public static <T> Emission<T> toAllBut(Set<Object> except, ObservedEvent<T> event) {
		return new Emission<>(event, null, except);
	}

	static <T> Emission<T> onlyTo(Object writer, ObservedEvent<T> event) {
		return new Emission<>(event, writer, Set.of());
	}

}
