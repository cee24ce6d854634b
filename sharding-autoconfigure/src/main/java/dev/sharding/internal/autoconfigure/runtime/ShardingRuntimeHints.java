package dev.sharding.internal.autoconfigure.runtime;

import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadataList;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * What a native image must keep whatever the controllers are: the classes that every
 * shard, and a sharder in the application, read and write by reflection, and the
 * CustomResourceDefinition.
 */
final class ShardingRuntimeHints implements RuntimeHintsRegistrar {

	private static final Class<?>[] BOUND = { Config.class, Event.class, GenericKubernetesResource.class,
			GenericKubernetesResourceList.class, Lease.class, LeaseList.class, Namespace.class,
			PartialObjectMetadata.class, PartialObjectMetadataList.class, Status.class, WatchEvent.class };

	/* Of the sharder in an application, which is optional. */
	private static final String SHARDER = "dev.sharding.internal.sharder.";

	private static final String[] BOUND_BY_SHARDER = { SHARDER + "ring.ControllerRing",
			SHARDER + "ring.ControllerRingSpec", SHARDER + "ring.ControllerRingStatus",
			SHARDER + "assignment.metadata.MetadataItem" };

	private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		this.binding.registerReflectionHints(hints.reflection(), BOUND);
		if (ClassUtils.isPresent(BOUND_BY_SHARDER[0], classLoader)) {
			this.binding.registerReflectionHints(hints.reflection(), APIGroup.class, APIResourceList.class,
					ConfigMap.class);
			for (String name : BOUND_BY_SHARDER) {
				this.binding.registerReflectionHints(hints.reflection(),
						ClassUtils.resolveClassName(name, classLoader));
			}
		}
		hints.resources().registerPattern("dev/sharding/internal/sharder/ring/controllerrings.yaml");
	}

}
