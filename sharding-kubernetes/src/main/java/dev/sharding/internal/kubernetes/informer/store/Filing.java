package dev.sharding.internal.kubernetes.informer.store;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Under which values an index function files one object. The function is the user's:
 * nothing that it throws gets out, and what it returned is not looked at again.
 *
 * @param values the values
 * @param failure what the function threw, or what was wrong with its answer, or
 * {@code null}
 */
public record Filing(Set<String> values, @Nullable Throwable failure) {

	private static final Filing NOTHING = new Filing(Set.of(), null);

	public static <T> Filing of(Function<T, ? extends @Nullable Collection<String>> function, T object) {
		try {
			Collection<String> answer = function.apply(object);
			if (answer == null) {
				return new Filing(Set.of(), new NullPointerException("the index function returned null"));
			}
			// Copied at once: it may be lazy, or changed later.
			Set<String> values = new LinkedHashSet<>(answer);
			Throwable failure = values.remove(null)
					? new NullPointerException("the index function returned a null value") : null;
			return (values.isEmpty() && failure == null) ? NOTHING : new Filing(Set.copyOf(values), failure);
		}
		catch (Throwable ex) {
			return new Filing(Set.of(), Objects.requireNonNull(ex));
		}
	}

}
