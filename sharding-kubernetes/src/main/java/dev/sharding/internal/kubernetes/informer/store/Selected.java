package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/**
 * What a selector selected at a moment.
 *
 * @param <T> the class of the objects
 * @param objects the objects
 * @param undecodable the metadata of all objects that did not fit their class
 * @param version not newer than the state that {@code objects} show; over several
 * namespaces the oldest
 */
public record Selected<T extends HasMetadata>(List<T> objects, List<ObjectMeta> undecodable, String version) {

	Selected<T> and(Selected<T> other) {
		List<T> both = new ArrayList<>(this.objects);
		both.addAll(other.objects);
		List<ObjectMeta> unfit = new ArrayList<>(this.undecodable);
		unfit.addAll(other.undecodable);
		boolean older = ResourceVersions.compare(other.version, this.version) == Order.BEFORE;
		return new Selected<>(both, unfit, older ? other.version : this.version);
	}

}
