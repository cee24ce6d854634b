package dev.sharding.internal.core.key;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What is needed of an object to derive its sharding key. An absent part is {@code null}
 * or empty.
 *
 * @param apiVersion group and version
 * @param kind the kind
 * @param namespace the namespace; absent if cluster-scoped
 * @param name the name; absent at the creation of an object with {@code generateName}
 * @param generateName the prefix from which the API server makes the name
 * @param ownerReferences all owner references, in their order
 */
public record ObjectIdentity(@Nullable String apiVersion, @Nullable String kind, @Nullable String namespace,
		@Nullable String name, @Nullable String generateName, List<OwnerRef> ownerReferences) {

	public ObjectIdentity {
		ownerReferences = List.copyOf(ownerReferences);
	}

}
