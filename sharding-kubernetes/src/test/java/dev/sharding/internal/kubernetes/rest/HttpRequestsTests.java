package dev.sharding.internal.kubernetes.rest;

import java.net.URI;

import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;

import static org.assertj.core.api.Assertions.assertThat;

class HttpRequestsTests {

	@Test
	void seesWhoIsImpersonated() {
		RequestConfig config = new RequestConfigBuilder().withImpersonateUsername("tenant").build();
		StandardHttpRequest plain = new StandardHttpRequest.Builder().uri(URI.create("https://server/api/v1/pods"))
			.build();
		StandardHttpRequest own = new StandardHttpRequest.Builder().uri(URI.create("https://server/api/v1/pods"))
			.header("Impersonate-User", "other")
			.build();
		assertThat(HttpRequests.read(plain, "/", null).actsFor()).isNull();
		assertThat(HttpRequests.read(plain, "/", new RequestConfigBuilder().build()).actsFor()).isNull();
		assertThat(HttpRequests.read(plain, "/", config).actsFor()).isEqualTo("tenant");
		assertThat(HttpRequests.read(own, "/", config).actsFor()).isEqualTo("other");
		assertThat(HttpRequests.read(own, "/", config).exempted().timeout(ApiRequest.DEFAULT_TIMEOUT).actsFor())
			.isEqualTo("other");
	}

}
