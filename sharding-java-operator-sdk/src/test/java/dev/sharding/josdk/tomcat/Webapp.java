package dev.sharding.josdk.tomcat;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** A web application that is to run in a {@link Tomcat}. */
@Group("samples.example")
@Version("v1")
public class Webapp extends CustomResource<Webapp.Spec, Webapp.Status> implements Namespaced {

	private static final long serialVersionUID = 1;

	/** What is wanted. */
	public static class Spec {

		public String tomcat = "";

	}

	/** What is there. */
	public static class Status {

		public String runsOn = "";

	}

}
