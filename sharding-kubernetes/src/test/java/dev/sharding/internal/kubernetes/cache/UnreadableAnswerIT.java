package dev.sharding.internal.kubernetes.cache;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.DeleteOptions;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.ResourceWriter.Preconditions;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Answers of success that nobody can read, as a proxy may make them: what was asked for
 * has happened, or not.
 */
@ControlPlaneTest
class UnreadableAnswerIT {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final ConfigMap object = new ConfigMapBuilder().withNewMetadata()
		.withNamespace("default")
		.withName("a")
		.withUid("u")
		.withResourceVersion("5")
		.endMetadata()
		.build();

	private final ControlPlane cluster;

	UnreadableAnswerIT(ControlPlane cluster) {
		this.cluster = cluster;
	}

	@Test
	void anUpdateMayHaveHappened() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.ok("<html>"))) {
			assertInDoubt(catchThrowableOfType(ApiException.class, () -> writer(server).update(this.object)));
		}
	}

	@Test
	void aDeleteMayHaveHappened() {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.ok("<html>"))) {
			assertInDoubt(catchThrowableOfType(ApiException.class,
					() -> writer(server).delete(this.object, DeleteOptions.defaults(), new Preconditions("u", null))));
		}
	}

	@Test
	void aDeleteMayHaveHappenedWhoseAnswerDoesNotFit() {
		String ending = """
				{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":"a","uid":"u",
				"deletionTimestamp":"2026-01-01T00:00:00Z"},"data":"none"}""";
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.ok(ending))) {
			assertInDoubt(catchThrowableOfType(ApiException.class,
					() -> writer(server).delete(this.object, DeleteOptions.defaults(), new Preconditions("u", null))));
		}
	}

	private static void assertInDoubt(ApiException failure) {
		assertThat(failure.isAnswered()).isFalse();
		assertThat(failure.isWithoutEffect()).isFalse();
		assertThat(failure).hasMessageContaining("configmaps");
	}

	private static ResourceWriter<ConfigMap> writer(SpoiledAnswers server) {
		return new ResourceWriter<>(TYPE, new ApiRequests(server.client), server.client.getKubernetesSerialization(),
				"test", new StoreLookup<>(TYPE, new StoreLookup.Stores() {

					@Override
					public long generation() {
						return 0;
					}

					@Override
					public @Nullable OverlaidStore<?> find(ResourceType<?> type) {
						return null;
					}

					@Override
					public void requireTerm(ResourceType<?> type) {
						// Always the same.
					}

					@Override
					public CacheNotFilledException missing(ResourceType<?> type) {
						throw new IllegalStateException();
					}

				}));
	}

}
