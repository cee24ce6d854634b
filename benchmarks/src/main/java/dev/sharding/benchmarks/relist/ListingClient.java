package dev.sharding.benchmarks.relist;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import com.sun.management.OperatingSystemMXBean;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * A process that does nothing but list, so that its CPU time is that of the lists. Each
 * round is one informer: a first list, a relist, and another one whose heap is looked at.
 * Prints a line per round: milliseconds of the first list and of the relist, bytes of the
 * live heap when the store is filled and when the relist has all objects.
 */
final class ListingClient {

	/** How a line begins that tells of a round. */
	static final String ROUND = "round ";

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final OperatingSystemMXBean SYSTEM = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	private final KubernetesClient client;

	private final ApiRequests requests;

	private ListingClient(KubernetesClient client) {
		this.client = client;
		this.requests = new ApiRequests(client);
	}

	/** Arguments: the address of the API server, how many objects it has, rounds. */
	public static void main(String[] args) {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withMasterUrl(args[0])
				.withTrustCerts(true)
				.withDisableHostnameVerification(true)
				.build())
			.build()) {
			ListingClient listing = new ListingClient(client);
			for (int round = 0; round < Integer.parseInt(args[2]); round++) {
				stdout.println(ROUND + listing.round(Integer.parseInt(args[1])));
			}
		}
		System.exit(0);
	}

	private String round(int objects) {
		// They hold the store of the round before.
		Waiting.until("threads to end", PATIENCE,
				() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getName().startsWith("informer-")));
		try (Informer<ConfigMap> informer = new Informer<>(this.client,
				InformerSpec.of(ResourceType.of(ConfigMap.class)))) {
			long before = cpuNanos();
			informer.start();
			informer.synced().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
			long first = cpuNanos() - before;
			if (informer.store().size() != objects) {
				throw new IllegalStateException("Listed " + informer.store().size() + " of " + objects + " objects");
			}
			before = cpuNanos();
			relist(informer, () -> 0L);
			long relist = cpuNanos() - before;
			long filled = liveHeap();
			long peak = relist(informer, ListingClient::liveHeap);
			return String.format(Locale.ROOT, "%.1f %.1f %d %d", first / 1e6, relist / 1e6, filled, peak);
		}
	}

	/* Looks under the store's lock, when both the store and what was listed are there. */
	private long relist(Informer<ConfigMap> informer, LongSupplier look) {
		Waiting.until("a watch", PATIENCE, () -> informer.status().watching());
		CompletableFuture<Long> seen = new CompletableFuture<>();
		informer.addObserver((event) -> {
			if (event instanceof InformerEvent.RelistFinished && !seen.isDone()) {
				seen.complete(look.getAsLong());
			}
		});
		this.requests.call(ApiRequest.of("GET", UnchangingApiServer.EXPIRE));
		return seen.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

	private static long cpuNanos() {
		return SYSTEM.getProcessCpuTime();
	}

	private static long liveHeap() {
		System.gc();
		System.gc();
		return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
	}

}
