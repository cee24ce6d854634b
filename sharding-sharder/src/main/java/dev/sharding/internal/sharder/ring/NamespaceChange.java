package dev.sharding.internal.sharder.ring;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * That a namespace is new, or has other labels.
 *
 * @param name its name
 * @param before the labels that it had, {@code null} if it is new
 * @param after the labels that it has
 */
public record NamespaceChange(String name, @Nullable Map<String, String> before, Map<String, String> after) {
}
