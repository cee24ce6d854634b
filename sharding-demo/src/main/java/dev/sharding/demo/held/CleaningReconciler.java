package dev.sharding.demo.held;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * A reconciler that deletes what it has made of an object before the object goes.
 *
 * @param reconciler does everything else
 * @param caches where its ConfigMaps are
 * @param other cleans up instead, null for nobody
 * @param <T> the main resource
 */
public record CleaningReconciler<T extends HasMetadata>(Reconciler<T> reconciler, ObjectProvider<ResourceCaches> caches,
		@Nullable Cleaner<T> other) implements Reconciler<T>, Cleaner<T> {

	/** Its finalizer. */
	public static final String FINALIZER = "demo.example/checksums";

	@Override
	public Result reconcile(T object) throws Exception {
		return this.reconciler.reconcile(object);
	}

	@Override
	public String finalizer() {
		return FINALIZER;
	}

	@Override
	public Result cleanUp(T object) throws Exception {
		if (this.other != null) {
			return this.other.cleanUp(object);
		}
		ResourceCache<ConfigMap> configMaps = this.caches.getObject().of(ConfigMap.class);
		configMaps.get(object.getMetadata().getNamespace(), "checksums-" + object.getMetadata().getName())
			.ifPresent(configMaps::delete);
		return Result.done();
	}

}
