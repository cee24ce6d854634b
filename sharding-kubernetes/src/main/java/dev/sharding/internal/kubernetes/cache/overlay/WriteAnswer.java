package dev.sharding.internal.kubernetes.cache.overlay;

import org.jspecify.annotations.Nullable;

/**
 * What came of a write that the API server accepted: the object as it is now, or that it
 * is gone.
 *
 * @param object the object, or {@code null}
 * @param goneUid the uid that is gone if there is no object; without it nobody knows
 * whether it is gone, or what became of it
 */
public record WriteAnswer<T>(@Nullable T object, @Nullable String goneUid) {

	public static <T> WriteAnswer<T> of(T object) {
		return new WriteAnswer<>(object, null);
	}

	public static <T> WriteAnswer<T> gone(@Nullable String uid) {
		return new WriteAnswer<>(null, uid);
	}

}
