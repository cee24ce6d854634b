package dev.sharding.internal.kubernetes.informer;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.store.CatchUp;
import dev.sharding.internal.kubernetes.informer.store.Selected;

/**
 * How a reader of a selector gets what is present.
 *
 * @param <T> the class of the objects
 * @param how what it took
 * @param selected what to read; {@code null} if the whole store shows the present
 */
public record CaughtUp<T extends HasMetadata>(CatchUp how, @Nullable Selected<T> selected) {
}
