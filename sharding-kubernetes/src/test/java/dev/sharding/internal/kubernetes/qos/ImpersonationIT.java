package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.client.ApiException;
import dev.sharding.client.QosLimitedException;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Caller;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.qos.spi.Subject;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A rule for a tenant is about what others do in its name. */
@ControlPlaneTest
class ImpersonationIT {

	private final Qos qos = new Qos(QosRules.NONE, QosOptions.DEFAULTS,
			QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
			new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);

	private final KubernetesClient plain;

	private final KubernetesClient client;

	private final String namespace;

	private final String path;

	ImpersonationIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
		this.client = limited(plain.getConfiguration());
		this.path = "/api/v1/namespaces/" + namespace + "/configmaps";
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Test
	void whoImpersonatesCountsAsWhoItActsFor() {
		String user = "system:serviceaccount:" + this.namespace + ":tenant";
		QosRule rule = new QosRule("tenant", true, 1,
				List.of(new Subject(Subject.Kind.SERVICE_ACCOUNT, this.namespace + "/tenant")), List.of(), Set.of(),
				List.of(), "class", Cost.REQUESTS, Accounting.RULE, false, "", Duration.ofMinutes(1));
		this.qos.identify(Caller.UNKNOWN.as("operator"));
		this.qos.change(
				(before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(1_000, 1_000)), List.of(rule)));
		ApiRequest list = ApiRequest.of("GET", this.path);
		new ApiRequests(this.client).call(list);
		assertThat(this.qos.counts().get(0).matched()).isZero();
		RequestConfig config = new RequestConfigBuilder(this.plain.getConfiguration().getRequestConfig())
			.withImpersonateUsername(user)
			.build();
		// By a request's configuration, by a header of its own, and by a whole client's.
		assertThatExceptionOfType(KubernetesClientException.class)
			.isThrownBy(() -> this.client.adapt(NamespacedKubernetesClient.class)
				.withRequestConfig(config)
				.call((other) -> other.configMaps().inNamespace(this.namespace).list()))
			.withMessageContaining(user);
		assertThat(this.qos.counts().get(0).matched()).isOne();
		HttpClient http = this.client.getHttpClient();
		HttpResponse<String> answer = http
			.sendAsync(http.newHttpRequestBuilder()
				.uri(this.client.getMasterUrl().toString().replaceAll("/$", "") + this.path)
				.header("Impersonate-User", user)
				.build(), String.class)
			.join();
		assertThat(answer.code()).isEqualTo(403);
		assertThat(this.qos.counts().get(0).matched()).isEqualTo(2);
		try (KubernetesClient tenant = limited(
				new ConfigBuilder(this.plain.getConfiguration()).withImpersonateUsername(user).build())) {
			assertThatExceptionOfType(ApiException.class).isThrownBy(() -> new ApiRequests(tenant).call(list))
				.withMessageContaining(user);
		}
		assertThat(this.qos.counts().get(0).matched()).isEqualTo(3);
	}

	@Test
	void eachWhomAControllerActsForHasALimitOfItsOwn() {
		QosRule rule = new QosRule("tenants", true, 1, List.of(new Subject(Subject.Kind.CONTROLLER, "tenants")),
				List.of(), Set.of(), List.of(), "class", Cost.REQUESTS, Accounting.SUBJECT, false, "", Duration.ZERO);
		this.qos.identify(Caller.UNKNOWN.as("operator"));
		this.qos
			.change((before) -> QosRules.define(Map.of("class", new QosClass.TokenBucket(0.00001, 1)), List.of(rule)));
		try (MDC.MDCCloseable controller = MDC.putCloseable("controller", "tenants")) {
			assertThat(controller).isNotNull();
			for (String tenant : List.of("alice", "system:serviceaccount:" + this.namespace + ":bot")) {
				try (KubernetesClient client = limited(
						new ConfigBuilder(this.plain.getConfiguration()).withImpersonateUsername(tenant).build())) {
					ApiRequests requests = new ApiRequests(client);
					ApiRequest list = ApiRequest.of("GET", this.path);
					assertThatExceptionOfType(ApiException.class).isThrownBy(() -> requests.call(list))
						.withMessageContaining(tenant);
					assertThatExceptionOfType(QosLimitedException.class).isThrownBy(() -> requests.call(list));
				}
			}
			new ApiRequests(this.client).call(ApiRequest.of("GET", this.path));
		}
		assertThat(this.qos.counts().get(0).rejected()).isEqualTo(2);
	}

	private KubernetesClient limited(Config config) {
		return ThrottledClient.of(new KubernetesClientBuilder().withConfig(config).build(), this.qos);
	}

}
