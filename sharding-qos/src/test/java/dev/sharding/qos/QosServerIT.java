package dev.sharding.qos;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import dev.sharding.client.ApiException;
import dev.sharding.client.QosLimitedException;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What the server says about itself, the ring and us, and what follows from it. */
@ControlPlaneTest
class QosServerIT {

	private static final String RINGS = "/apis/sharding.timebertt.dev/v1alpha1/controllerrings";

	private static final String MERGE = "application/merge-patch+json";

	private final KubernetesClient plain;

	private final ApiRequests requests;

	private final String namespace;

	private final RateLimiterRegistry limiters = RateLimiterRegistry.ofDefaults();

	private final ApplicationContextRunner runner;

	QosServerIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.requests = new ApiRequests(plain);
		this.namespace = namespace;
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(QosAutoConfiguration.class))
			.withBean(KubernetesClient.class,
					() -> new KubernetesClientBuilder().withConfig(plain.getConfiguration()).build())
			.withBean(RateLimiterRegistry.class, () -> this.limiters)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("sharding.qos.enabled=true");
	}

	@Test
	void clientOfTheApplicationIsLimitedByWhoItIs() {
		this.runner
			.withPropertyValues("sharding.qos.classes.once.kind=token-bucket", "sharding.qos.classes.once.qps=0.001",
					"sharding.qos.classes.once.burst=1", "sharding.qos.rules.admin.priority=1",
					"sharding.qos.rules.admin.qos-class=once", "sharding.qos.rules.admin.max-wait=0s",
					"sharding.qos.rules.admin.operations=update,delete",
					"sharding.qos.rules.admin.subjects.user=" + user())
			.run((context) -> {
				KubernetesClient client = context.getBean(KubernetesClient.class);
				ConfigMap map = this.plain.resource(map("mine")).create();
				// Not at once, as the server has to say who we are.
				await().untilAsserted(() -> {
					client.resource(map).update();
					assertThat(context.getBean(Qos.class).counts())
						.anySatisfy((counts) -> assertThat(counts.rule() + counts.matched()).isEqualTo("admin1"));
				});
				assertThatThrownBy(() -> client.resource(map).delete()).satisfiesAnyOf(
						(ex) -> assertThat(ex).isInstanceOf(QosLimitedException.class),
						(ex) -> assertThat(ex).hasRootCauseInstanceOf(QosLimitedException.class));
				assertThat(this.plain.resource(map).get()).isNotNull();
			});
	}

	@Test
	void serviceAccountIsTheOneThatTheServerNames() {
		String account = "system:serviceaccount:" + this.namespace + ":robot";
		this.runner
			.withBean("robot", KubernetesClient.class, () -> new KubernetesClientBuilder()
				.withConfig(new ConfigBuilder(this.plain.getConfiguration()).withImpersonateUsername(account).build())
				.build(), (definition) -> definition.setPrimary(true))
			.withPropertyValues("sharding.qos.classes.few.kind=max-in-flight", "sharding.qos.classes.few.max=5",
					"sharding.qos.rules.robot.priority=1", "sharding.qos.rules.robot.qos-class=few",
					"sharding.qos.rules.robot.subjects.service-account=" + this.namespace + "/robot",
					"sharding.qos.rules.other.priority=2", "sharding.qos.rules.other.qos-class=few",
					"sharding.qos.rules.other.subjects.service-account=" + this.namespace + "/other")
			.run((context) -> {
				ApiRequests robot = new ApiRequests(context.getBean("robot", KubernetesClient.class));
				// Not at once, as the server has to say who we are.
				await().untilAsserted(() -> {
					assertThatThrownBy(() -> robot
						.call(ApiRequest.of("GET", "/api/v1/namespaces/" + this.namespace + "/configmaps/any")))
						.isInstanceOfSatisfying(ApiException.class, (ex) -> assertThat(ex.status()).isEqualTo(403));
					assertThat(context.getBean(Qos.class).counts())
						.anySatisfy(
								(counts) -> assertThat(counts.rule() + (counts.matched() > 0)).isEqualTo("robottrue"))
						.anySatisfy((counts) -> assertThat(counts.rule() + counts.matched()).isEqualTo("other0"));
				});
			});
	}

	@Test
	void limitOfTheRingFollowsItsMembers() throws IOException {
		ring("ring-" + this.namespace, 1);
		this.runner.withBean(QosShard.class, () -> new QosShard(RINGS + "/ring-" + this.namespace, "shard-1"))
			.withPropertyValues("sharding.qos.membership-period=100ms", "sharding.qos.classes.all.kind=token-bucket",
					"sharding.qos.classes.all.qps=80", "sharding.qos.classes.all.burst=80",
					"sharding.qos.rules.shared.priority=1", "sharding.qos.rules.shared.qos-class=all",
					"sharding.qos.rules.shared.scope=ring")
			.run((context) -> {
				KubernetesClient client = context.getBean(KubernetesClient.class);
				assertThat(client.configMaps().inNamespace(this.namespace).withName("any").get()).isNull();
				await().untilAsserted(() -> assertThat(burst()).isEqualTo(80));
				members("ring-" + this.namespace, 4);
				await().untilAsserted(() -> assertThat(burst()).isEqualTo(20));
				members("ring-" + this.namespace, 2);
				await().untilAsserted(() -> assertThat(burst()).isEqualTo(40));
			});
	}

	/* However long it has looked before, as one that stands by for a slot does. */
	@Test
	void whoeverGetsALeaseIsANewcomer() throws IOException {
		String ring = "terms-" + this.namespace;
		ring(ring, 4);
		AtomicReference<@Nullable String> term = new AtomicReference<>();
		List<String> seen = new CopyOnWriteArrayList<>();
		// Each look asks, so that none is missed.
		Supplier<@Nullable String> asked = () -> {
			String now = term.get();
			this.limiters.find("qos-shared").ifPresent((limiter) -> seen.add(now + " " + burst()));
			return now;
		};
		this.runner.withBean(QosShard.class, () -> new QosShard(RINGS + "/" + ring, "shard-1", null, asked))
			.withPropertyValues("sharding.qos.membership-period=1s", "sharding.qos.classes.all.kind=token-bucket",
					"sharding.qos.classes.all.qps=640", "sharding.qos.classes.all.burst=640",
					"sharding.qos.rules.shared.priority=1", "sharding.qos.rules.shared.qos-class=all",
					"sharding.qos.rules.shared.scope=ring")
			.run((context) -> {
				KubernetesClient client = context.getBean(KubernetesClient.class);
				assertThat(client.configMaps().inNamespace(this.namespace).withName("any").get()).isNull();
				await().untilAsserted(() -> assertThat(burst()).isEqualTo(10));
				// Longer than a newcomer is one.
				await().during(Duration.ofSeconds(7)).until(() -> burst() == 10);
				term.set("first");
				await().until(() -> seen.contains("first 80"));
				await().until(() -> burst() == 160);
				term.set("second");
				await().until(() -> seen.contains("second 10"));
				await().until(() -> burst() == 160);
				term.set(null);
				await().until(() -> burst() == 10);
			});
	}

	@Test
	void eachLimitFollowsTheMembersOfItsOwnRing() throws IOException {
		String first = "first-" + this.namespace;
		String second = "second-" + this.namespace;
		ring(first, 2);
		ring(second, 4);
		this.runner
			.withBean("main", QosShard.class, () -> new QosShard(RINGS + "/" + first, "shard-1"),
					(definition) -> definition.setPrimary(true))
			.withBean("further", QosShard.class, () -> new QosShard(RINGS + "/" + second, "shard-1"))
			.withPropertyValues("sharding.qos.membership-period=100ms", "sharding.qos.classes.all.kind=token-bucket",
					"sharding.qos.classes.all.qps=80", "sharding.qos.classes.all.burst=80",
					"sharding.qos.rules.shared.priority=1", "sharding.qos.rules.shared.qos-class=all",
					"sharding.qos.rules.shared.scope=ring", "sharding.qos.rules.shared.paths=/api/v1/configmaps",
					"sharding.qos.rules.second.priority=1", "sharding.qos.rules.second.qos-class=all",
					"sharding.qos.rules.second.scope=ring", "sharding.qos.rules.second.ring=" + second,
					"sharding.qos.rules.second.paths=/api/v1/secrets", "sharding.qos.rules.strange.priority=1",
					"sharding.qos.rules.strange.qos-class=all", "sharding.qos.rules.strange.scope=ring",
					"sharding.qos.rules.strange.ring=other", "sharding.qos.rules.strange.paths=/api/v1/services")
			.run((context) -> {
				KubernetesClient client = context.getBean(KubernetesClient.class);
				client.configMaps().inNamespace(this.namespace).withName("any").get();
				client.secrets().inNamespace(this.namespace).withName("any").get();
				client.services().inNamespace(this.namespace).withName("any").get();
				await().untilAsserted(() -> assertThat(burst()).isEqualTo(40));
				await().untilAsserted(() -> assertThat(burst("second")).isEqualTo(20));
				await().untilAsserted(() -> assertThat(burst("strange")).isEqualTo(80));
				members(first, 8);
				await().untilAsserted(() -> assertThat(burst()).isEqualTo(10));
				assertThat(burst("second")).isEqualTo(20);
				members(second, 2);
				await().untilAsserted(() -> assertThat(burst("second")).isEqualTo(40));
				assertThat(burst()).isEqualTo(10);
				assertThat(QosShare.of(context.getBean(Qos.class)))
					.hasToString("{second={divided-by=2}, shared={divided-by=8}, "
							+ "strange={divided-by=1, reason=this process is no shard of the ring 'other'}}");
			});
	}

	@Test
	void amongSeveralRingsWithoutAMainOneARuleThatNamesNoneIsCautious() throws IOException {
		String first = "first-of-two-" + this.namespace;
		ring(first, 2);
		this.runner.withBean("one", QosShard.class, () -> new QosShard(RINGS + "/" + first, "shard-1"))
			.withBean("two", QosShard.class, () -> new QosShard(RINGS + "/second", "shard-1"))
			.withPropertyValues("sharding.qos.membership-period=100ms", "sharding.qos.classes.all.kind=token-bucket",
					"sharding.qos.classes.all.qps=80", "sharding.qos.classes.all.burst=80",
					"sharding.qos.rules.shared.priority=1", "sharding.qos.rules.shared.qos-class=all",
					"sharding.qos.rules.shared.scope=ring")
			.run((context) -> await().untilAsserted(() -> assertThat(QosShare.of(context.getBean(Qos.class)))
				.hasToString("{shared={divided-by=16, reason=this process is a shard of [" + first
						+ ", second] and the rule does not say of which: set 'ring'}}")));
	}

	@Test
	void eventsAreLimitedWhileStorageIsNearlyFull() {
		this.runner
			.withPropertyValues("sharding.qos.storage-quota=1B", "sharding.qos.classes.events.kind=token-bucket",
					"sharding.qos.classes.events.qps=0.001", "sharding.qos.classes.events.burst=1",
					"sharding.qos.rules.events-under-storage-pressure.priority=91",
					"sharding.qos.rules.events-under-storage-pressure.qos-class=events",
					"sharding.qos.rules.events-under-storage-pressure.max-wait=0s",
					"sharding.qos.rules.events-under-storage-pressure.paths=/registry/events",
					"sharding.qos.rules.events-under-storage-pressure.operations=create",
					"sharding.qos.rules.events-under-storage-pressure.conditions.storage-used=0.9")
			.run((context) -> {
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				await().untilAsserted(
						() -> assertThat(meters.get("sharding.qos.storage.used").gauge().value()).isBetween(0.9, 1e15));
				assertThat(meters.get("sharding.qos.storage.age").gauge().value()).isBetween(0.0, 3_600.0);
				ApiRequests limited = new ApiRequests(context.getBean(KubernetesClient.class));
				limited.call(event("first"));
				assertThatExceptionOfType(QosLimitedException.class).isThrownBy(() -> limited.call(event("second")));
				limited.call(ApiRequest.of("POST", "/api/v1/namespaces/" + this.namespace + "/configmaps",
						"application/json", "{\"metadata\":{\"name\":\"other\"}}"));
			});
	}

	private ApiRequest event(String name) {
		return ApiRequest.of("POST", "/api/v1/namespaces/" + this.namespace + "/events", "application/json",
				"{\"metadata\":{\"name\":\"%s\"},\"involvedObject\":{\"namespace\":\"%s\"}}".formatted(name,
						this.namespace));
	}

	private int burst() {
		return burst("shared");
	}

	private int burst(String rule) {
		return this.limiters.rateLimiter("qos-" + rule).getRateLimiterConfig().getLimitForPeriod();
	}

	private void ring(String name, int members) throws IOException {
		try (InputStream yaml = Files.newInputStream(Path.of("..", "config", "crd", "controllerrings.yaml"))) {
			this.plain.load(yaml).serverSideApply();
		}
		String ring = "{\"apiVersion\":\"sharding.timebertt.dev/v1alpha1\",\"kind\":\"ControllerRing\","
				+ "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"resources\":[{\"group\":\"\",\"resource\":\"secrets\"}]}}";
		await().ignoreExceptionsInstanceOf(ApiException.class)
			.until(() -> this.requests.call(ApiRequest.of("POST", RINGS, "application/json", ring.formatted(name)))
				.status() == 201);
		members(name, members);
	}

	private void members(String name, int members) {
		this.requests.call(ApiRequest.of("PATCH", RINGS + "/" + name + "/status", MERGE,
				"{\"status\":{\"shards\":%1$d,\"availableShards\":%1$d}}".formatted(members)));
	}

	private ConfigMap map(String name) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.endMetadata()
			.build();
	}

	private String user() {
		String review = this.requests.call(ApiRequest.of("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
				"application/json", "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}"))
			.text();
		return review.replaceAll("(?s).*\"username\"\\s*:\\s*\"([^\"]+)\".*", "$1");
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(1));
	}

}
