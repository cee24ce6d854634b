package dev.sharding.benchmarks.consistentread;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

import com.sun.management.OperatingSystemMXBean;
import dev.sharding.kubernetes.cache.CacheScope;
import dev.sharding.kubernetes.cache.Freshness;
import dev.sharding.kubernetes.cache.InformerCaches;
import dev.sharding.kubernetes.cache.ListOptions;
import dev.sharding.kubernetes.cache.ObjectCopier;
import dev.sharding.kubernetes.cache.ReadOptions;
import dev.sharding.kubernetes.cache.ReadStrategy;
import dev.sharding.kubernetes.cache.ResourceCache;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * A client that lists the ConfigMaps of one namespace in different ways.
 */
final class Readers implements AutoCloseable {

	private static final ListOptions CONSISTENT = ListOptions.all()
		.freshness(Freshness.CONSISTENT.within(Duration.ofMinutes(5)));

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
	IntSupplier copied() {
		return list(this.validated, CONSISTENT);
	}

	/** Memory lists everything behind a barrier. */
	IntSupplier barrier() {
		return list(this.barrier, CONSISTENT.withoutCopying());
	}

	/** Memory lists everything, validated. */
	IntSupplier validated() {
		return list(this.validated, CONSISTENT.withoutCopying());
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

	/**
	 * Reads several times.
	 * @param pause runs before each read and does not count
	 */
	Sample measure(IntSupplier read, int reads, Runnable pause) {
		double[] millis = new double[reads];
		long bytes = this.counter.bytes();
		long client = SYSTEM.getProcessCpuTime();
		Duration server = serverCpu();
		for (int i = 0; i < reads; i++) {
			pause.run();
			long start = System.nanoTime();
			if (read.getAsInt() < 0) {
				throw new IllegalStateException("No list");
			}
			millis[i] = (System.nanoTime() - start) / 1e6;
		}
		return new Sample(millis, (this.counter.bytes() - bytes) / (double) reads,
				(SYSTEM.getProcessCpuTime() - client) / 1e6 / reads, serverCpu().minus(server).toNanos() / 1e6 / reads);
	}

	private Duration serverCpu() {
		return this.controlPlane.apiServer()
			.process()
			.pid()
			.flatMap(ProcessHandle::of)
			.flatMap((process) -> process.info().totalCpuDuration())
			.orElseThrow(() -> new IllegalStateException("The API server has ended"));
	}

	@Override
	public void close() {
		this.validated.close();
		this.barrier.close();
		this.client.close();
	}

}
