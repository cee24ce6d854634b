package com.example.website;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A page in the web. The build makes a CustomResourceDefinition of this class. */
// region resource
@Group("example.com")
@Version("v1")
@ShortNames("site")
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
public class Website extends CustomResource<WebsiteSpec, WebsiteStatus> implements Namespaced {

	/** What is known of it, also before there is a status. */
	WebsiteStatus statusOrNew() {
		return (getStatus() != null) ? getStatus() : new WebsiteStatus();
	}

}
// endregion
