package dev.sharding.test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ControlPlaneTest
class ThrottledUserIT {

	@Test
	void isRefusedAlthoughItsRequestsTakeTheSeatAgainAndAgain(ControlPlane controlPlane) throws Exception {
		Access user = controlPlane.user("impatient",
				new PolicyRuleBuilder().withApiGroups("").withResources("secrets").withVerbs("*").build());
		AtomicBoolean ended = new AtomicBoolean();
		HttpRequest request = HttpRequest
			.newBuilder(URI.create(user.config().getMasterUrl()).resolve("/api/v1/namespaces/default/secrets"))
			.header("Authorization", "Bearer " + user.config().getOauthToken())
			.build();
		List<CompletableFuture<Void>> asking = Stream
			.generate(() -> CompletableFuture.runAsync(() -> askUntil(ended, user.jdkClient(), request)))
			.limit(3)
			.toList();
		try (ThrottledUser refusals = ThrottledUser.of(controlPlane, user, "", "secrets")) {
			assertThat(asking).noneMatch(CompletableFuture::isDone);
		}
		finally {
			ended.set(true);
			asking.forEach(CompletableFuture::join);
		}
	}

	private static void askUntil(AtomicBoolean ended, HttpClient client, HttpRequest request) {
		while (!ended.get()) {
			client.sendAsync(request, BodyHandlers.discarding()).join();
		}
	}

	@Test
	void isRefusedForOneResourceUntilItIsClosed(ControlPlane controlPlane, @TestNamespace String namespace) {
		Access user = controlPlane.user("throttled",
				new PolicyRuleBuilder().withApiGroups("")
					.withResources("secrets", "configmaps")
					.withVerbs("*")
					.build());
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(user.config()).withRequestRetryBackoffLimit(0).build())
			.build()) {
			try (ThrottledUser refusals = ThrottledUser.of(controlPlane, user, "", "secrets")) {
				assertThatExceptionOfType(KubernetesClientException.class)
					.isThrownBy(() -> client.secrets().inNamespace(namespace).list())
					.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(429));
				assertThat(client.configMaps().inNamespace(namespace).list().getItems()).isEmpty();
				assertThat(controlPlane.client().secrets().inNamespace(namespace).list().getItems()).isEmpty();
			}
			assertThat(client.secrets().inNamespace(namespace).list().getItems()).isEmpty();
		}
	}

}
