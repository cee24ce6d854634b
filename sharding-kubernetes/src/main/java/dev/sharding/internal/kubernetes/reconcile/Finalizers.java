package dev.sharding.internal.kubernetes.reconcile;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.cache.ResourceCache;

/**
 * Puts the finalizer of a clean-up hook on objects and takes it off, each with a patch
 * that applies only to the version that was seen.
 */
final class Finalizers<T extends HasMetadata> {

	private final ResourceCache<T> cache;

	private final String finalizer;

	Finalizers(ResourceCache<T> cache, String finalizer) {
		this.cache = cache;
		this.finalizer = finalizer;
	}

	boolean isOn(T object) {
		List<String> present = object.getMetadata().getFinalizers();
		return present != null && present.contains(this.finalizer);
	}

	/** Returns the object with the finalizer. */
	T putOn(T object) {
		return this.cache.patch(object, (copy) -> {
			List<String> wanted = new ArrayList<>(copy.getMetadata().getFinalizers());
			wanted.add(this.finalizer);
			copy.getMetadata().setFinalizers(wanted);
			return copy;
		});
	}

	void takeOff(T object) {
		this.cache.patch(object, (copy) -> {
			List<String> wanted = new ArrayList<>(copy.getMetadata().getFinalizers());
			wanted.remove(this.finalizer);
			copy.getMetadata().setFinalizers(wanted);
			return copy;
		});
	}

}
