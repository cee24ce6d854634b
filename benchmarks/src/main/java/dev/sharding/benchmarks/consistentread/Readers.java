package dev.sharding.benchmarks.consistentread;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import com.sun.management.OperatingSystemMXBean;
import dev.sharding.benchmarks.cluster.Consumption;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ManagedProcess;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * A client that lists the ConfigMaps of one namespace in different ways.
 */
final class Readers implements AutoCloseable {

	private static final Duration DEADLINE = Duration.ofMinutes(5);

	private static final ListOptions CONSISTENT = ListOptions.all().freshness(Freshness.CONSISTENT.within(DEADLINE));

	private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private final ControlPlane controlPlane;

	private final String namespace;

	private final ByteCounter counter = new ByteCounter();

	private final KubernetesClient client;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final InformerCaches validated;

	private final InformerCaches barrier;

	Readers(ControlPlane controlPlane, String namespace) {
		this.controlPlane = controlPlane;
		this.namespace = namespace;
		this.client = new KubernetesClientBuilder().withConfig(controlPlane.client().getConfiguration())
			.withHttpClientBuilderConsumer((http) -> http.addOrReplaceInterceptor("count", this.counter))
			.build();
		this.client.getConfiguration().setRequestTimeout((int) TimeUnit.MINUTES.toMillis(5));
		this.meters.config().meterFilter(new PercentileOfWaits());
		this.validated = caches(ReadStrategy.VALIDATED);
		this.barrier = caches(ReadStrategy.BARRIER);
	}

	private InformerCaches caches(ReadStrategy strategy) {
		InformerCaches caches = new InformerCaches(this.client, new ApiRequests(this.client),
				new CacheScope(Set.of(this.namespace), "", "", "bench", false),
				new ObjectCopier(this.client.getKubernetesSerialization()), InstantSource.system(), System::nanoTime,
				ReadOptions.DEFAULTS.withStrategy("configmaps", strategy),
				(strategy == ReadStrategy.VALIDATED) ? this.meters : new SimpleMeterRegistry());
		caches.of(ConfigMap.class);
		caches.start();
		caches.synced().orTimeout(10, TimeUnit.MINUTES).join();
		return caches;
	}

	/** The API server lists what has these labels. */
	IntSupplier direct(Map<String, String> labels) {
		return () -> this.client.configMaps().inNamespace(this.namespace).withLabels(labels).list().getItems().size();
	}

	/** Memory lists the same, validated. */
	IntSupplier validated(Map<String, String> labels) {
		return list(this.validated, CONSISTENT.withLabels(labels).withoutCopying());
	}

	/** The same for a caller who changes what they get. */
	IntSupplier copied(Map<String, String> labels) {
		return list(this.validated, CONSISTENT.withLabels(labels));
	}

	/** Memory lists the same behind a barrier. */
	IntSupplier barrier(Map<String, String> labels) {
		return list(this.barrier, CONSISTENT.withLabels(labels).withoutCopying());
	}

	/** The API server lists the scope for the cache. */
	IntSupplier live(Map<String, String> labels) {
		return list(this.validated,
				ListOptions.all().freshness(Freshness.LIVE.within(DEADLINE)).withLabels(labels).withoutCopying());
	}

	private static IntSupplier list(InformerCaches caches, ListOptions options) {
		ResourceCache<ConfigMap> cache = caches.of(ConfigMap.class);
		return () -> cache.list(options).size();
	}

	/** Share of validated reads that the probe alone decided, since the last call. */
	double probeShare() {
		double probes = 0;
		double all = 0;
		for (Counter counter : this.meters.find("sharding.cache.reads").tag("strategy", "validated").counters()) {
			all += counter.count();
			probes += "probe".equals(counter.getId().getTag("outcome")) ? counter.count() : 0;
		}
		this.meters.clear();
		return (all > 0) ? probes / all : 0;
	}

	/** Of the waits of validated reads, since {@link #probeShare()} was called. */
	double waitP99Millis() {
		return this.meters.find("sharding.cache.read.wait")
			.tag("strategy", "validated")
			.timers()
			.stream()
			.flatMap((timer) -> Arrays.stream(timer.takeSnapshot().percentileValues()))
			.mapToDouble((value) -> value.value(TimeUnit.MILLISECONDS))
			.max()
			.orElse(0);
	}

	/**
	 * Reads several times.
	 * @param pause runs before each read and does not count
	 */
	Sample measure(IntSupplier read, int reads, Runnable pause) {
		double[] millis = new double[reads];
		Consumed before = consumed();
		long start = System.nanoTime();
		for (int i = 0; i < reads; i++) {
			pause.run();
			millis[i] = FixedRate.timed(read);
		}
		return new Sample(millis, (System.nanoTime() - start) / 1e9, consumed().minus(before));
	}

	/** What this process, the API server and etcd have consumed so far. */
	Consumed consumed() {
		return new Consumed(this.counter.bytes(), SYSTEM.getProcessCpuTime() / 1e6,
				cpuMillis(this.controlPlane.apiServer().process()), cpuMillis(this.controlPlane.etcd().process()));
	}

	private static double cpuMillis(ManagedProcess process) {
		return Consumption.cpu(process.pid().orElseThrow()).toNanos() / 1e6;
	}

	@Override
	public void close() {
		this.validated.close();
		this.barrier.close();
		this.client.close();
	}

	/** A mean says nothing about the slowest of a hundred. */
	private static final class PercentileOfWaits implements MeterFilter {

		@Override
		public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
			return DistributionStatisticConfig.builder()
				.percentiles(0.99)
				.expiry(Duration.ofHours(1))
				.build()
				.merge(config);
		}

	}

}
