package dev.sharding.cache;

import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a list that may have pages.
 *
 * @param <T> the class of the objects
 * @param items the objects; a page of the API server is selected from after it came, so
 * it may hold fewer than the limit
 * @param resourceVersion the version that the page stands for; memory may hold what is
 * newer, too. {@code null} before the first list of an informer
 * @param continueToken where the next page begins, or {@code null} if this is the last
 */
public record ObjectPage<T extends HasMetadata>(List<T> items, @Nullable String resourceVersion,
		@Nullable String continueToken) {
}
