package dev.sharding.josdk.tomcat;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** A server for web applications that is to run. */
@Group("samples.example")
@Version("v1")
public class Tomcat extends CustomResource<Tomcat.Spec, Tomcat.Status> implements Namespaced {

	private static final long serialVersionUID = 1;

	/** What is wanted. */
	public static class Spec {

		public String version = "";

		public int replicas;

	}

	/** What is there. */
	public static class Status {

		public int readyReplicas;

	}

}
