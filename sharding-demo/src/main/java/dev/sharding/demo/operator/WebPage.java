package dev.sharding.demo.operator;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;

/** A page that is to be served. Public for Jackson. */
@Group("operator.example")
@Version("v1")
public final class WebPage extends CustomResource<WebPage.Spec, Observed> implements Namespaced {

	private static final long serialVersionUID = 1;

	/** What is wanted. */
	public static final class Spec {

		private String html = "";

		/** What the page shows. */
		public String getHtml() {
			return this.html;
		}

		/** Says what the page shows. */
		public void setHtml(String html) {
			this.html = html;
		}

	}

}
