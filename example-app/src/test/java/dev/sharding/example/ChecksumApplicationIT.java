package dev.sharding.example;

import java.time.Duration;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

import dev.sharding.core.ShardingLabels;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application as one shard, without a sharder: the test assigns the Secrets.
 */
@ControlPlaneTest
class ChecksumApplicationIT {

	private static final String SHARD_LABEL = ShardingLabels.shard("checksums");

	private final KubernetesClient client;

	private final String namespace;

	private ConfigurableApplicationContext application;

	ChecksumApplicationIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
	}

	@BeforeEach
	void start() {
		ApplicationContextInitializer<GenericApplicationContext> testClient = (context) -> context.registerBean(
				"kubernetesClient", KubernetesClient.class, () -> this.client,
				(definition) -> definition.setDestroyMethodName(""));
		this.application = new SpringApplicationBuilder(ChecksumApplication.class).initializers(testClient)
			.run("--server.port=0", "--sharding.shard-name=shard-a", "--sharding.namespaces=" + this.namespace,
					"--sharding.lease.namespace=" + this.namespace, "--sharding.lease.duration=6s",
					"--checksums.stamp=true");
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	@Test
	void keepsAConfigMapForEverySecretOfTheShard() {
		create("password", "shard-a", Map.of("key", "value"));
		soon().untilAsserted(() -> {
			ConfigMap created = configMap("password").get();
			assertThat(created).isNotNull();
			assertThat(created.getData())
				.containsExactly(Map.entry("key", "cd42404d52ad55ccfa9aca4adc828aa5800ad9d385a0671fbcbf724118320619"));
			assertThat(created.getMetadata().getLabels()).containsEntry("secret", "password")
				.containsEntry("color", "blue")
				.containsEntry(SHARD_LABEL, "shard-a");
			assertThat(created.getMetadata().getAnnotations()).containsEntry("checksums.example/shard", "shard-a");
			assertThat(created.getMetadata().getOwnerReferences()).singleElement()
				.satisfies((owner) -> assertThat(owner.getController()).isTrue());
		});
	}

	@Test
	void followsTheSecret() {
		create("changing", "shard-a", Map.of("key", "value"));
		soon().until(() -> configMap("changing").get() != null);
		this.client.secrets().inNamespace(this.namespace).withName("changing").edit((secret) -> {
			secret.getData().put("another", "YQ==");
			return secret;
		});
		soon()
			.untilAsserted(() -> assertThat(configMap("changing").get().getData()).containsOnlyKeys("key", "another"));
	}

	@Test
	void rebuildsWhatSomebodyDeletesOrEdits() {
		create("touched", "shard-a", Map.of("key", "value"));
		soon().until(() -> configMap("touched").get() != null);
		String uid = configMap("touched").get().getMetadata().getUid();
		configMap("touched").delete();
		soon().untilAsserted(() -> {
			assertThat(configMap("touched").get()).isNotNull();
			assertThat(configMap("touched").get().getMetadata().getUid()).isNotEqualTo(uid);
		});
		configMap("touched").edit((configMap) -> {
			configMap.getData().put("key", "forged");
			configMap.getMetadata().getLabels().put("color", "red");
			return configMap;
		});
		soon().untilAsserted(() -> {
			assertThat(configMap("touched").get().getData()).containsEntry("key", Checksums.of("value"));
			assertThat(configMap("touched").get().getMetadata().getLabels()).containsEntry("color", "blue");
		});
	}

	@Test
	void leavesSecretsOfOtherShardsAlone() {
		create("theirs", "shard-b", Map.of("key", "value"));
		create("ours", "shard-a", Map.of("key", "value"));
		soon().until(() -> configMap("ours").get() != null);
		assertThat(configMap("theirs").get()).isNull();
	}

	@Test
	void releasesItsLeaseWhenItStops() {
		soon().until(() -> "shard-a".equals(holder()));
		this.application.close();
		assertThat(holder()).isEmpty();
	}

	private String holder() {
		var lease = this.client.leases().inNamespace(this.namespace).withName("shard-a").get();
		return (lease != null) ? lease.getSpec().getHolderIdentity() : null;
	}

	private void create(String name, String shard, Map<String, String> data) {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels(SHARD_LABEL, shard)
			.addToLabels("color", "blue")
			.endMetadata()
			.withStringData(data)
			.build();
		this.client.resource(secret).create();
	}

	private Resource<ConfigMap> configMap(String secret) {
		return this.client.configMaps().inNamespace(this.namespace).withName("checksums-" + secret);
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

}
