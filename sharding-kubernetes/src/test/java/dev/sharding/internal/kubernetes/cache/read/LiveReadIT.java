package dev.sharding.internal.kubernetes.cache.read;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.internal.kubernetes.cache.check.InconsistencyDetector;
import dev.sharding.internal.kubernetes.cache.check.ListedView;
import dev.sharding.internal.kubernetes.cache.check.ReadMeters;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadSampler;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheOverlay;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.ScopedAccess;
import dev.sharding.internal.kubernetes.cache.overlay.SpoiledAnswers;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.InForce;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.Origin;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Lists by the API server, and what is counted of them.
 */
@ControlPlaneTest
public class LiveReadIT {

	/** For reads that are compared with nothing. */
	public static final ReadSampler UNSAMPLED = new ReadSampler(0,
			new InconsistencyDetector(ReadOptions.DEFAULTS, new SimpleMeterRegistry(), System::nanoTime));

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final String LIST = """
			{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"resourceVersion":"%s"},"items":[]}""";

	private static final ApiException DOWN = new ApiException(503, "", null, "Failed to list: 503", null);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final ControlPlane cluster;

	LiveReadIT(ControlPlane cluster) {
		this.cluster = cluster;
	}

	@ParameterizedTest
	@CsvSource({ "9,10,9", "10,9,9", "7,7,7" })
	void standsForTheOldestOfItsNamespaces(String first, String second, String oldest) {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.ok(LIST.formatted(first)),
				SpoiledAnswers.ok(LIST.formatted(second)))) {
			StoreView<ConfigMap> view = new LiveSource<>(InformerSpec.of(TYPE).inNamespaces(Set.of("a", "b")),
					reader(server))
				.read()
				.orTimeout(30, TimeUnit.SECONDS)
				.join()
				.view();
			assertThat(server.requests()).hasSize(2);
			assertThat(view.watermark()).isEqualTo(oldest);
		}
	}

	@Test
	void aFallbackThatFailsIsCounted() {
		assertThatExceptionOfType(ConsistentReadException.class)
			.isThrownBy(() -> read(() -> CompletableFuture.failedFuture(DOWN)));
		assertThat(count("validated", "refused")).isEqualTo(1);
		assertThat(count("live", "refused")).isEqualTo(1);
	}

	@Test
	void aFallbackThatIsTooLateIsCounted() {
		assertThatExceptionOfType(ConsistentReadException.class).isThrownBy(() -> read(CompletableFuture::new));
		assertThat(count("live", "deadline")).isEqualTo(1);
	}

	@Test
	void aFallbackIsCounted() {
		assertThat(read(() -> CompletableFuture.completedFuture(
				new Snapshot<>(new ListedView<>(List.of(), List.of(), "5", InformerSpec.of(TYPE)), "live"))))
			.isEmpty();
		assertThat(count("validated", "refused")).isEqualTo(1);
		assertThat(count("live", "fallback")).isEqualTo(1);
	}

	@Test
	void aFallbackLeavesNothingOutUnsaid() {
		assertThat(read(() -> unfit("elsewhere"))).isEmpty();
		assertThatExceptionOfType(UndecodableException.class).isThrownBy(() -> read(() -> unfit("here")))
			.withMessageContaining("here/odd");
	}

	@Test
	void whatFitsAgainMeanwhileDoesNotShowAsItWasBefore() {
		ConfigMap before = new ConfigMapBuilder().withNewMetadata().withName("odd").endMetadata().build();
		ConfigMap now = new ConfigMapBuilder(before).addToData("fits", "again").build();
		ObjectMeta unfit = new ObjectMetaBuilder().withNamespace("here").withName("odd").build();
		// The cache learns of a live list before its reader does.
		AtomicInteger lists = new AtomicInteger();
		StoreView<?> changing = (StoreView<?>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { StoreView.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "list" -> List.of((lists.incrementAndGet() > 2) ? now : before);
					case "undecodable" -> (lists.get() > 1) ? ((arguments == null) ? List.of() : null)
							: (arguments == null) ? List.of(unfit) : unfit;
					default -> "5";
				});
		assertThat(read(() -> CompletableFuture.completedFuture(new Snapshot<>(cast(changing), "live"))))
			.containsExactly(now);
	}

	@SuppressWarnings("unchecked")
	private static StoreView<ConfigMap> cast(StoreView<?> view) {
		return (StoreView<ConfigMap>) view;
	}

	private static CompletableFuture<Snapshot<ConfigMap>> unfit(String namespace) {
		ObjectMeta metadata = new ObjectMetaBuilder().withNamespace(namespace).withName("odd").build();
		return CompletableFuture.completedFuture(
				new Snapshot<>(new ListedView<>(List.of(), List.of(metadata), "5", InformerSpec.of(TYPE)), "live"));
	}

	private double count(String strategy, String outcome) {
		return this.meters.get("sharding.cache.reads").tags("strategy", strategy, "outcome", outcome).counter().count();
	}

	private List<ConfigMap> read(Supplier<CompletableFuture<Snapshot<ConfigMap>>> live) {
		try (SpoiledAnswers server = new SpoiledAnswers(this.cluster, SpoiledAnswers.refusal(503, 1));
				Informer<ConfigMap> informer = new Informer<>(server.client, InformerSpec.of(TYPE))) {
			ScopedAccess<ConfigMap> access = new ScopedAccess<>(null, "");
			CacheOverlay<ConfigMap> overlay = new CacheOverlay<>(
					informer, access, (namespace) -> new ServerQuestions<>(TYPE, namespace, null,
							new ApiRequests(server.client)::send, server.client.getKubernetesSerialization()),
					System::nanoTime);
			ConsistentReadSources<ConfigMap> sources = new ConsistentReadSources<>(
					(watermark) -> new InForce(ReadStrategy.VALIDATED, Origin.DEFAULT),
					(strategy) -> (store) -> new Given(strategy,
							(strategy == ReadStrategy.LIVE) ? live : () -> CompletableFuture.failedFuture(DOWN)));
			return new ConsistentReads<>(TYPE, reader(server), sources, new ReadMeters(this.meters, "configmaps"),
					System::nanoTime, UNSAMPLED)
				.read(new OverlaidStore<>(informer, overlay, access), "here",
						Freshness.CONSISTENT.within(Duration.ofMillis(100)).orLive(),
						ListOptions.all().inNamespace("here")::mayMean, StoreView::list);
		}
	}

	private static ResourceReader<ConfigMap> reader(SpoiledAnswers server) {
		return new ResourceReader<>(TYPE, new ApiRequests(server.client), server.client.getKubernetesSerialization());
	}

	/** A source that answers what the test says. */
	private record Given(ReadStrategy strategy,
			Supplier<CompletableFuture<Snapshot<ConfigMap>>> answer) implements ConsistentReadSource<ConfigMap> {

		@Override
		public CompletableFuture<Snapshot<ConfigMap>> read() {
			return this.answer.get();
		}

		@Override
		public @Nullable Duration retryAfter() {
			return null;
		}

	}

}
