package dev.sharding.internal.kubernetes.informer;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * What a read was answered with from a store that stood at one version from its beginning
 * to its end.
 *
 * @param namespace the part of the store that is meant; empty for all namespaces
 * @param version the watermark of that part during the read
 * @param asked whether the answer holds an object of this key if there is one
 * @param objects the answer, as the store has it
 * @param unfit what does not fit its class, of which an older state may be shown
 */
public record ServedRead(String namespace, String version, Predicate<ObjectKey> asked,
		List<? extends HasMetadata> objects, Set<ObjectKey> unfit) {

	boolean isAbout(ObjectKey key) {
		return (this.namespace.isEmpty() || this.namespace.equals(key.namespace())) && !this.unfit.contains(key);
	}

}
