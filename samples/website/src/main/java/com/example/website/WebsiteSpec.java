package com.example.website;

import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/** What somebody wants of a website. */
public class WebsiteSpec {

	/** The name under which the world finds it. */
	@Required
	public String host;

	/** What it says. */
	@Required
	public String text;

	/** How many servers say so. */
	@Min(0)
	public int replicas = 1;

	/** The Secret, in the same namespace, with the file htpasswd of those who may read it. */
	public String credentials;

}
