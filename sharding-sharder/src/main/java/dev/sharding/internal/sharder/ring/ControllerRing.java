package dev.sharding.internal.sharder.ring;

import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/**
 * Cluster-scoped object that names the resources whose objects are shared out among the
 * shards of one controller (protocol section 1.2). Status is {@code null} until a sharder
 * saw the ring.
 */
@Group("sharding.timebertt.dev")
@Version("v1alpha1")
public class ControllerRing extends CustomResource<ControllerRingSpec, ControllerRingStatus> {

	@Override
	protected ControllerRingSpec initSpec() {
		return ControllerRingSpec.EMPTY;
	}

	@Override
	protected @Nullable ControllerRingStatus initStatus() {
		return null;
	}

}
