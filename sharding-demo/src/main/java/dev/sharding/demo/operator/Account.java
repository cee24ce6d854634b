package dev.sharding.demo.operator;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** Somebody who is to be known. Public for Jackson. */
@Group("operator.example")
@Version("v1")
public final class Account extends CustomResource<Account.Spec, Observed> implements Namespaced {

	private static final long serialVersionUID = 1;

	/** What is wanted. */
	public static final class Spec {

		private String owner = "";

		/** Whose it is. */
		public String getOwner() {
			return this.owner;
		}

		/** Says whose it is. */
		public void setOwner(String owner) {
			this.owner = owner;
		}

	}

}
