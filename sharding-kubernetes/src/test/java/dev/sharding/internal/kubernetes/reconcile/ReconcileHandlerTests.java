package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import dev.sharding.client.ApiException;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.controller.Trigger;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.shard.DrainHandler;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReconcileHandlerTests {

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private static final ObjectKey KEY = new ObjectKey("default", "s-1");

	/* Nothing is sent in these tests. */
	private final KubernetesClient client = new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withMasterUrl("http://localhost:1").build())
		.build();

	private final Secret drained = new SecretBuilder().withNewMetadata()
		.withNamespace("default")
		.withName("s-1")
		.withResourceVersion("7")
		.withLabels(Map.of(ShardingLabels.shard("ring"), "shard-a", ShardingLabels.drain("ring"), "true"))
		.endMetadata()
		.build();

	@AfterEach
	void close() {
		this.client.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 429, 500, 503 })
	void acknowledgesSoonAfterTheApiServerRefusedForNow(int status) throws Exception {
		ReconcileHandler<Secret> work = work((type, object) -> {
			throw new ApiException(status, "", null, "Failed to PATCH", null);
		});
		for (int i = 0; i < 30; i++) {
			Result result = run(work);
			assertThat(result.delay()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(5));
		}
	}

	@Test
	void leavesTheApiServerAloneForAsLongAsItAsksFor() throws Exception {
		ReconcileHandler<Secret> work = work((type, object) -> {
			throw new ApiException(429, "", Duration.ofMinutes(2), "Failed to PATCH", null);
		});
		assertThat(run(work).delay()).isEqualTo(Duration.ofMinutes(2));
	}

	@Test
	void waitsForTheNewStateOfWhatHasChanged() throws Exception {
		ReconcileHandler<Secret> work = work((type, object) -> false);
		assertThat(run(work).delay()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void aStray404IsNoAnswerAboutTheObject() throws Exception {
		ReconcileHandler<Secret> work = work((type, object) -> {
			throw new ApiException(404, "", null, "Failed to PATCH", null);
		});
		assertThat(run(work).delay()).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void failsIfItMayNotAcknowledge() {
		ReconcileHandler<Secret> work = work((type, object) -> {
			throw new ApiException(403, "Forbidden", null, "Failed to PATCH", null);
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> run(work))
			.withCauseInstanceOf(ApiException.class);
	}

	@Test
	void callsOffWhatNobodyWaitsFor() throws Exception {
		CompletableFuture<Boolean> begun = new CompletableFuture<>();
		ReconcileHandler<Secret> work = work(new DrainHandler() {

			@Override
			public boolean acknowledge(ResourceType<?> type, HasMetadata object) {
				throw new IllegalStateException("nobody waits here");
			}

			@Override
			public CompletableFuture<Boolean> begin(ResourceType<?> type, HasMetadata object) {
				return begun;
			}

		});
		CompletableFuture<Result> released = work.release(KEY, (key) -> DrainTurn.OURS);
		assertThat(released).isNotDone();
		released.cancel(true);
		assertThat(begun).isCancelled();
	}

	private static Result run(ReconcileHandler<Secret> work) throws Exception {
		return work.run(KEY, Trigger.CHANGE, (key) -> DrainTurn.OURS).get(1, TimeUnit.MINUTES);
	}

	private ReconcileHandler<Secret> work(DrainHandler handler) {
		ApiRequests requests = new ApiRequests(this.client);
		ObjectCopier copier = new ObjectCopier(this.client.getKubernetesSerialization());
		SimpleMeterRegistry meters = new SimpleMeterRegistry();
		ControllerSpec<Secret> spec = ControllerSpec.of(SECRETS, (secret) -> Result.done()).build();
		return new ReconcileHandler<>(spec,
				new ControllerContext<>(() -> new OneObject(this.drained), null, Ownership.of("ring", "shard-a"),
						handler, null, null, () -> true, requests, copier, Thread::new, meters,
						ObservationRegistry.NOOP, System::nanoTime, Map::of, new UserCode(meters, System::nanoTime)),
				new ControllerMetrics(meters, spec.name()), null, (key) -> {
				});
	}

	private record OneObject(Secret object) implements StoreView<Secret> {

		@Override
		public @Nullable Secret get(ObjectKey key) {
			return KEY.equals(key) ? this.object : null;
		}

		@Override
		public List<Secret> list() {
			return List.of(this.object);
		}

		@Override
		public List<Secret> list(String namespace) {
			return list();
		}

		@Override
		public List<Secret> byIndex(String index, String value) {
			return List.of();
		}

		@Override
		public int size() {
			return 1;
		}

		@Override
		public @Nullable String watermark() {
			return "7";
		}

		@Override
		public @Nullable String watermark(String namespace) {
			return "7";
		}

	}

}
