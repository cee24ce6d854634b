package dev.sharding.internal.kubernetes.informer;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

@Group("test.sharding.dev")
@Version("v1")
@io.fabric8.kubernetes.model.annotation.Kind("Widget")
public class SizedWidget extends CustomResource<SizedWidget.Spec, Void> implements Namespaced {

	private static final long serialVersionUID = 1L;

	public static class Spec {

		public int size;

	}

}
