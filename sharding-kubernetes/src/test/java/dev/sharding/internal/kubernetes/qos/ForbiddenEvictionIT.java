package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.DenyingWebhook;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An eviction that a disruption budget forbids, and a write that a webhook denies, under
 * a limit that takes everything.
 */
@ControlPlaneTest
class ForbiddenEvictionIT {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final Qos qos = new Qos(
			QosRules.define(Map.of("class", new QosClass.TokenBucket(1_000, 1_000)),
					List.of(new QosRule("all", true, 1, List.of(), List.of(), Set.of(), List.of(), "class",
							Cost.REQUESTS, Accounting.RULE, false, "", Duration.ZERO))),
			QosOptions.DEFAULTS,
			QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
			this.meters, InstantSource.system(), System::nanoTime);

	private final KubernetesClient plain;

	private final String namespace;

	ForbiddenEvictionIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
	}

	@Test
	void holdsNobodyElseWhoeverSentIt() {
		Pod pod = neededPod();
		String path = "/api/v1/namespaces/" + this.namespace + "/pods";
		String body = "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"needed\"}}";
		try (KubernetesClient limited = limited()) {
			ApiRequests requests = new ApiRequests(limited);
			assertThatExceptionOfType(ApiException.class)
				.isThrownBy(
						() -> requests.call(ApiRequest.of("POST", path + "/needed/eviction", "application/json", body)))
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(429))
				.satisfies((ex) -> assertThat(ex.retryAfter()).isPositive());
			assertThat(requests.call(ApiRequest.of("GET", path)).status()).isEqualTo(200);
			try {
				assertThat(limited.pods().inNamespace(this.namespace).withName("needed").evict()).isFalse();
			}
			catch (KubernetesClientException ex) {
				assertThat(ex.getCode()).isEqualTo(429);
			}
			assertThat(limited.pods().inNamespace(this.namespace).list().getItems()).hasSize(1);
			assertThat(this.meters.get("sharding.qos.server.pressure").gauge().value()).isZero();
		}
		finally {
			this.plain.resource(pod).withGracePeriod(0).delete();
		}
	}

	@Test
	void aWriteThatAWebhookDeniesForNowHoldsNobodyElse() {
		Secret secret = this.plain
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("denied")
				.endMetadata()
				.build())
			.create();
		String denial = "{\"code\":429,\"message\":\"not now\",\"details\":{\"retryAfterSeconds\":300}}";
		try (DenyingWebhook webhook = DenyingWebhook.in(this.plain, this.namespace,
				(name) -> name.equals("denied") ? denial : null); KubernetesClient limited = limited()) {
			secret.getMetadata().setLabels(Map.of("a", "b"));
			assertThatExceptionOfType(KubernetesClientException.class)
				.isThrownBy(() -> limited.resource(secret).update())
				.satisfies((ex) -> assertThat(ex.getCode()).isEqualTo(429));
			assertThat(webhook.questions("denied")).isNotEmpty();
			assertThat(limited.secrets().inNamespace(this.namespace).list().getItems()).isNotEmpty();
			assertThat(this.meters.get("sharding.qos.server.pressure").gauge().value()).isZero();
		}
	}

	private KubernetesClient limited() {
		return ThrottledClient.of(new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder(this.plain.getConfiguration()).withRequestRetryBackoffLimit(0).build())
			.build(), this.qos);
	}

	/* The controller that judges budgets does not run here, which is a no as well. */
	private Pod neededPod() {
		this.plain
			.resource(new PodDisruptionBudgetBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("budget")
				.endMetadata()
				.withNewSpec()
				.withMinAvailable(new IntOrString(1))
				.withNewSelector()
				.addToMatchLabels("name", "needed")
				.endSelector()
				.endSpec()
				.build())
			.create();
		Pod pod = this.plain
			.resource(new PodBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("needed")
				.addToLabels("name", "needed")
				.endMetadata()
				.withNewSpec()
				.withNodeName("node")
				.addNewContainer()
				.withName("main")
				.withImage("none")
				.endContainer()
				.endSpec()
				.build())
			.create();
		return this.plain
			.resource(new PodBuilder(pod).editOrNewStatus()
				.withPhase("Running")
				.addNewCondition()
				.withType("Ready")
				.withStatus("True")
				.endCondition()
				.endStatus()
				.build())
			.updateStatus();
	}

}
