package com.example.website;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;

/** What became of a website. */
public class WebsiteStatus {

	/** The generation of the specification that this is about. */
	public Long observedGeneration;

	/** The name that the DNS has of it, or is about to have. */
	public String host;

	/** How many servers are ready. */
	public Integer readyReplicas;

	public List<Condition> conditions = new ArrayList<>();

}
