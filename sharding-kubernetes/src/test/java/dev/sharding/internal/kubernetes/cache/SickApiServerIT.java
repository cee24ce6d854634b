package dev.sharding.internal.kubernetes.cache;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.client.RetryAfter;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import dev.sharding.test.ThrottledUser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an API server hears of a shard while it is ill, counted where requests leave: no
 * more than in as long a time of good health, with ten workers who each write and read
 * five times a second. Each illness lasts {@code sick.seconds}.
 */
class SickApiServerIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension
		.own((builder) -> builder.flags("--request-timeout=10m"));

	private static final int SECONDS = Integer.getInteger("sick.seconds", 5);

	private static final int WORKERS = 10;

	private static final int ROUNDS = SECONDS * 5;

	private static final Duration PAUSE = Duration.ofMillis(200);

	private final OverlayWorld world;

	private final CountedRequests requests = new CountedRequests();

	private final KubernetesClient client;

	private Access worker;

	private ApiRequests direct;

	private InformerCaches caches;

	/** How long the last work took, rounded up. */
	private int secondsOfWork;

	private ResourceCache<ConfigMap> cache;

	private OverlaidStore<ConfigMap> store;

	SickApiServerIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new OverlayWorld(cluster, client, namespace);
		this.client = client;
	}

	@BeforeEach
	void start() {
		this.worker = this.world.cluster.userIn("worker-" + Long.toHexString(System.nanoTime()), this.world.namespace,
				new PolicyRuleBuilder().withApiGroups("").withResources("configmaps").withVerbs("*").build());
		this.direct = new ApiRequests(
				ThrottledClient.of(this.worker.through(this.world.writes).client(), this.requests));
		this.caches = new InformerCaches(this.client, this.direct,
				new CacheScope(Set.of(this.world.namespace), "", "", "sick-test", false),
				new ObjectCopier(this.client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				ReadOptions.DEFAULTS.withCheckPeriod(Duration.ZERO), new SimpleMeterRegistry());
		this.caches.of(ConfigMap.class);
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofMinutes(1));
		this.cache = this.caches.of(ConfigMap.class);
		this.store = (OverlaidStore<ConfigMap>) this.caches.store(OverlayWorld.CONFIG_MAPS).get();
		for (int i = 0; i < WORKERS; i++) {
			this.cache.create(this.world.configMap("object-" + i, "0"));
		}
		// Workers look at what has come back.
		OverlayWorld.soon()
			.until(() -> IntStream.range(0, WORKERS).allMatch((i) -> this.store.plain().get(key(i)) != null));
	}

	@AfterEach
	void close() throws Exception {
		this.client.admissionRegistration().v1().validatingWebhookConfigurations().withName("broken").delete();
		this.caches.close();
		this.world.close();
	}

	@Test
	void aWebhookThatDoesNotAnswerLeavesNoDoubt() throws Exception {
		CountedRequests.Count healthy = workToTheEnd(this::writeAndRead);
		this.client.resource(brokenWebhook()).create();
		OverlayWorld.soon()
			.untilAsserted(() -> assertThatExceptionOfType(ApiException.class).isThrownBy(() -> write(0))
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(500)));
		CountedRequests.Count ill = work(this::writeAndRead);
		assertThat(ill.questions()).as("nothing was stored").isZero();
		assertThat(ill.writes()).as("the workers did not stop").isPositive();
		assertThat(ill.all()).isLessThanOrEqualTo(healthy.all());
	}

	@Test
	void aConnectionThatIsRefusedLeavesNoDoubt() throws Exception {
		CountedRequests.Count healthy = workToTheEnd(this::writeAndRead);
		// Workers that were interrupted do not know what became of their last writes.
		OverlayWorld.soon().ignoreExceptions().until(() -> read(0) == WORKERS);
		this.world.writes.refuse();
		OverlayWorld.soon().until(this::noConnectionIsLeft);
		assertThatExceptionOfType(ApiException.class).isThrownBy(() -> write(0))
			.satisfies((ex) -> assertThat(ex.isWithoutEffect()).as("%s", ex).isTrue());
		CountedRequests.Count ill = work(this::writeAndRead);
		assertThat(ill.questions()).as("nothing is in doubt").isZero();
		assertThat(ill.writes()).as("the workers did not stop").isPositive();
		assertThat(ill.all()).isLessThanOrEqualTo(healthy.all());
		this.world.writes.heal();
		this.world.comesToRest(this.caches);
	}

	@Test
	void lostAnswersCostOneQuestionASecond() throws Exception {
		CountedRequests.Count healthy = workToTheEnd(this::writeAndRead);
		CountedRequests.Count ill = work((worker) -> {
			doubt(worker);
			read(worker);
		});
		assertThat(ill.questions()).as("for ten workers").isBetween(SECONDS / 2, this.secondsOfWork + 1);
		assertThat(ill.all()).isLessThanOrEqualTo(healthy.all());
		this.world.comesToRest(this.caches);
		for (int i = 0; i < WORKERS; i++) {
			assertThat(read(i)).isEqualTo(WORKERS);
		}
	}

	@Test
	void tooManyRequestsCostNoQuestionBeforeTheirTime() throws Exception {
		CountedRequests.Count healthy = workToTheEnd(this::writeAndRead);
		try (ThrottledUser refusals = ThrottledUser.of(this.world.cluster, this.worker, "", "configmaps")) {
			assertThatExceptionOfType(ApiException.class).isThrownBy(() -> write(0))
				.satisfies((ex) -> assertThat(ex.status()).isEqualTo(429));
			CountedRequests.Count ill = work((worker) -> {
				try {
					this.cache.create(this.world.configMap("more-" + worker, "0"));
				}
				finally {
					doubt(worker);
					read(worker, Freshness.READ_YOUR_WRITES.within(Duration.ofMillis(500)));
				}
			});
			assertThat(this.requests.refused()).as("questions that the API server did not want").isPositive();
			assertThat(this.requests.early()).as("questions before their time").isZero();
			assertThat(ill.questions()).as("for ten workers").isBetween(1, this.secondsOfWork + 1);
			assertThat(ill.writes()).as("the workers did not stop").isPositive();
			assertThat(ill.all()).isLessThanOrEqualTo(healthy.all());
		}
		OverlayWorld.soon().ignoreExceptions().until(() -> read(0) == WORKERS);
		this.world.comesToRest(this.caches);
		for (int i = 0; i < WORKERS; i++) {
			assertThat(read(i)).isEqualTo(WORKERS);
		}
		assertThat(this.requests.early()).as("questions before their time").isZero();
	}

	/*
	 * What is written on one that was cut may have gone out, so the first writes are none
	 * of the cache's, which could not ask about them.
	 */
	private boolean noConnectionIsLeft() {
		ConfigMap probe = this.world.configMap("probe", "0");
		try {
			this.direct.call(
					ApiRequest
						.of("POST", OverlayWorld.CONFIG_MAPS.path(this.world.namespace, null), MediaTypes.JSON,
								this.client.getKubernetesSerialization().asJson(probe))
						.about(probe));
			return false;
		}
		catch (ApiException ex) {
			return !ex.isAnswered() && ex.isWithoutEffect();
		}
	}

	/**
	 * Lets each worker do its work five times a second, and pause after a failure, as
	 * long as that says.
	 */
	private CountedRequests.Count work(Work work) throws InterruptedException {
		return work(work, Duration.ofSeconds(SECONDS), 1);
	}

	/** The same, and all of it is done, however long it takes. */
	private CountedRequests.Count workToTheEnd(Work work) throws InterruptedException {
		return work(work, Duration.ofMinutes(2), WORKERS * ROUNDS);
	}

	private CountedRequests.Count work(Work work, Duration time, int least) throws InterruptedException {
		ScheduledExecutorService workers = Executors.newScheduledThreadPool(WORKERS);
		CountDownLatch done = new CountDownLatch(WORKERS * ROUNDS);
		try {
			CountedRequests.Count before = this.requests.count();
			long began = System.nanoTime();
			for (int i = 0; i < WORKERS; i++) {
				int worker = i;
				AtomicInteger round = new AtomicInteger();
				AtomicLong again = new AtomicLong(System.nanoTime());
				workers.scheduleAtFixedRate(() -> {
					if (round.incrementAndGet() <= ROUNDS) {
						if (System.nanoTime() - again.get() >= 0) {
							Duration pause = pauseAfter(worker, work);
							again.set(System.nanoTime() + pause.toNanos());
						}
						done.countDown();
					}
				}, 0, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
			}
			done.await(time.toNanos(), TimeUnit.NANOSECONDS);
			assertThat(WORKERS * ROUNDS - done.getCount()).as("what was done").isGreaterThanOrEqualTo(least);
			CountedRequests.Count counted = this.requests.count().minus(before);
			this.secondsOfWork = (int) Duration.ofNanos(System.nanoTime() - began).toSeconds() + 1;
			return counted;
		}
		finally {
			workers.shutdownNow();
			assertThat(workers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		}
	}

	/** Every failure is typed and says so at once, or in time. */
	private static Duration pauseAfter(int worker, Work work) {
		try {
			work.call(worker);
			return Duration.ZERO;
		}
		catch (RuntimeException ex) {
			assertThat(ex).isInstanceOf(RetryAfter.class);
			Duration asked = ((RetryAfter) ex).retryAfter();
			return (asked != null && asked.compareTo(PAUSE) > 0) ? asked : PAUSE;
		}
	}

	private void writeAndRead(int worker) {
		try {
			write(worker);
		}
		finally {
			read(worker);
		}
	}

	private void write(int worker) {
		ConfigMap object = this.store.plain().get(key(worker));
		this.cache.apply(OverlayWorld.changed(this.world.configMap("object-" + worker, "0"),
				String.valueOf(object.getData().get("n").length() + System.nanoTime())));
	}

	private int read(int worker) {
		return read(worker, Freshness.READ_YOUR_WRITES);
	}

	private int read(int worker, Freshness freshness) {
		assertThat(this.cache.get(key(worker), freshness)).isPresent();
		return this.cache.list(this.world.here().freshness(freshness))
			.stream()
			.filter((map) -> map.getMetadata().getName().startsWith("object-"))
			.toList()
			.size();
	}

	/** A write of which nobody knows whether it happened. */
	private void doubt(int worker) {
		Callable<ConfigMap> lost = () -> this.store.overlay()
			.write(this.world.namespace,
					new OwnWrite.Update<>(this.world.writer(), key(worker), null, OwnChange.unknown()), () -> {
						throw new ApiException(0, "", null, "Failed to update: no answer", null);
					}, null);
		assertThatExceptionOfType(ApiException.class).isThrownBy(lost::call);
	}

	private ObjectKey key(int worker) {
		return new ObjectKey(this.world.namespace, "object-" + worker);
	}

	private HasMetadata brokenWebhook() {
		return new ValidatingWebhookConfigurationBuilder().withNewMetadata()
			.withName("broken")
			.endMetadata()
			.addNewWebhook()
			.withName("broken.sharding.dev")
			.withAdmissionReviewVersions("v1")
			.withSideEffects("None")
			.withFailurePolicy("Fail")
			.withNewClientConfig()
			.withUrl("https://127.0.0.1:1/")
			.endClientConfig()
			.withNewNamespaceSelector()
			.addToMatchLabels("kubernetes.io/metadata.name", this.world.namespace)
			.endNamespaceSelector()
			.addNewRule()
			.withApiGroups("")
			.withApiVersions("v1")
			.withResources("configmaps")
			.withOperations("CREATE", "UPDATE")
			.endRule()
			.endWebhook()
			.build();
	}

	/** What a worker does again and again. */
	@FunctionalInterface
	private interface Work {

		void call(int worker);

	}

}
