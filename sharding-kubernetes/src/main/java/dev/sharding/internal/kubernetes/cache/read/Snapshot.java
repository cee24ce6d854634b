package dev.sharding.internal.kubernetes.cache.read;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.internal.kubernetes.informer.store.StoreView;

/**
 * What a consistent read may read from.
 *
 * @param view shows a state that was the latest at some moment after the read began
 * @param outcome how it came by, for the meters
 */
record Snapshot<T extends HasMetadata>(StoreView<T> view, String outcome) {
}
