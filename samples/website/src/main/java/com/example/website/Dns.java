package com.example.website;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatusCode;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** The records of a DNS provider: something outside the cluster, which no garbage collector knows. */
@Component
class Dns {

	private final RestClient provider;

	Dns(@Value("${website.dns-url}") String url) {
		this.provider = RestClient.create(url);
	}

	void point(String host, String target) {
		this.provider.put().uri("/records/{host}", host).body(target).retrieve().toBodilessEntity();
	}

	/** It is no error if there is no such record. */
	void remove(String host) {
		this.provider.delete()
			.uri("/records/{host}", host)
			.retrieve()
			.onStatus((status) -> status.value() == 404, (request, response) -> {
			})
			.toBodilessEntity();
	}

	/** Whether the name still leads somewhere: a provider takes its time. */
	boolean knows(String host) {
		HttpStatusCode status = this.provider.get()
			.uri("/records/{host}", host)
			.exchange((request, response) -> response.getStatusCode());
		return status.is2xxSuccessful();
	}

}
