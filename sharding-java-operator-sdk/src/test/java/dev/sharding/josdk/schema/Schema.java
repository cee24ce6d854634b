package dev.sharding.josdk.schema;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** A schema that is to be in a database. */
@Group("samples.example")
@Version("v1")
public class Schema extends CustomResource<Schema.Spec, Schema.Status> implements Namespaced {

	private static final long serialVersionUID = 1;

	/** What is wanted. */
	public static class Spec {

		public String encoding = "";

	}

	/** What is there. */
	public static class Status {

		public String url = "";

	}

}
