package dev.sharding.shard;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * Wants one Pod whose name starts with a prefix, and never two.
 */
@Group("test.sharding.dev")
@Version("v1")
public class PrefixedPod extends CustomResource<PrefixedPod.Spec, PrefixedPod.Status> implements Namespaced {

	private static final long serialVersionUID = 1L;

	public static class Spec {

		public String podNamePrefix;

	}

	public static class Status {

		public String generatedPodName;

	}

}
