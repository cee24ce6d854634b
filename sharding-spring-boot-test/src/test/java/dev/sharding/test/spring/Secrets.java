package dev.sharding.test.spring;

import java.time.Duration;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/**
 * The Secrets of a ring, and the ConfigMaps that {@link CopyApplication} or
 * {@link OwnLoop} makes for them.
 *
 * @param ring the ring
 */
record Secrets(TestRing ring) {

	Secret create(String name) {
		return this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	@Nullable ConfigMap configMap(Secret secret) {
		return this.ring.client()
			.configMaps()
			.inNamespace(this.ring.name())
			.withName(secret.getMetadata().getName())
			.get();
	}

	/** The shard that has made the ConfigMap. */
	String reconciledBy(Secret secret) {
		ConfigMap made = configMap(secret);
		return (made != null) ? made.getData().get("shard") : "nobody";
	}

	static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

}
