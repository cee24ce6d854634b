package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;
import java.util.function.UnaryOperator;

import dev.sharding.client.QosLimitedException;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Accounting;
import dev.sharding.qos.spi.Condition;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.Measure;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** Lists that nobody has made before, of a resource that has many objects. */
@ControlPlaneTest
class ObjectCountIT {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final int OBJECTS = 20;

	private final Qos qos;

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final ApiRequest list;

	ObjectCountIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.list = ApiRequest.of("GET", "/api/v1/namespaces/" + namespace + "/secrets");
		QosRule rule = new QosRule("large", true, 1, List.of(), List.of(), Set.of(Operation.LIST, Operation.WATCH),
				List.of(new Condition(Measure.PREDICTED_ITEMS, OBJECTS - 1)), "class", Cost.REQUESTS, Accounting.RULE,
				false, "", Duration.ZERO);
		this.qos = new Qos(QosRules.define(Map.of("class", new QosClass.TokenBucket(0.001, 1)), List.of(rule)),
				QosOptions.DEFAULTS,
				QosPieces.standard(RateLimiterRegistry.ofDefaults(), BulkheadRegistry.ofDefaults(), System::nanoTime),
				new SimpleMeterRegistry(), InstantSource.system(), System::nanoTime);
		for (int i = 0; i < OBJECTS; i++) {
			plain
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withName("object-" + i)
					.endMetadata()
					.build())
				.createOr(NonDeletingOperation::update);
		}
		this.client = ThrottledClient.of(new KubernetesClientBuilder().withConfig(plain.getConfiguration()).build(),
				this.qos);
		this.requests = new ApiRequests(this.client);
		this.qos.countBy(new ApiRequests(ThrottledClient.unthrottled(this.client)), plain.getKubernetesSerialization(),
				ForkJoinPool.commonPool());
	}

	@AfterEach
	void disconnect() {
		this.client.close();
	}

	@Test
	void neitherSelectorNorPageSizeMakesAListCheap() {
		// Unknown counts as large: this takes what the limit has.
		this.requests.call(this.list.query("labelSelector", "first=one"));
		await().atMost(PATIENCE).until(() -> this.qos.objects().of(this.list.path()) == OBJECTS);
		List<UnaryOperator<ApiRequest>> shapes = List.of((plain) -> plain,
				(plain) -> plain.query("labelSelector", "nobody=has-it"), (plain) -> plain.query("limit", "1000000"),
				(plain) -> plain.query("resourceVersion", "0").query("limit", "5"),
				(plain) -> plain.query("watch", "1").query("sendInitialEvents", "true"));
		for (UnaryOperator<ApiRequest> shape : shapes) {
			assertThatExceptionOfType(QosLimitedException.class)
				.isThrownBy(() -> this.requests.call(shape.apply(this.list)));
		}
		for (int i = 0; i < 3; i++) {
			assertThat(this.requests.call(this.list.query("limit", "5")).status()).isEqualTo(200);
			assertThat(this.requests.call(this.list.query("fieldSelector", "metadata.name=object-1")).status())
				.isEqualTo(200);
		}
	}

}
