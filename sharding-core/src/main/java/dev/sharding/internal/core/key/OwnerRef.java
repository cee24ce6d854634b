package dev.sharding.internal.core.key;

import org.jspecify.annotations.Nullable;

/**
 * An owner reference of an object, as the API server wrote it.
 *
 * @param apiVersion group and version of the owner
 * @param kind the kind of the owner
 * @param name the name of the owner
 * @param uid the uid of the owner
 * @param controller whether the owner is the managing controller; {@code false} if absent
 */
public record OwnerRef(@Nullable String apiVersion, @Nullable String kind, @Nullable String name, @Nullable String uid,
		boolean controller) {
}
