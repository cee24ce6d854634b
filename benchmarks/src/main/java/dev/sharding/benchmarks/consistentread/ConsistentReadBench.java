package dev.sharding.benchmarks.consistentread;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.MediaTypes;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;

/**
 * Lists everything, one label in a hundred and nothing, by the API server and from the
 * cache, while an unrelated resource is written, without and with pauses, and in quiet.
 */
public final class ConsistentReadBench {

	private static final int KIB = 1_000;

	private static final int MIB = 1_000_000;

	/** Nobody writes anything. */
	private static final String QUIET = "Quiet";

	/** Readers pause between two reads. */
	private static final String SPACED = "Spaced";

	private final Random random = new Random(1);

	private final ControlPlane controlPlane;

	private final UnrelatedWrites unrelated;

	private final StringBuilder json = new StringBuilder("{\"bench\":\"consistent-read\"");

	private ConsistentReadBench(ControlPlane controlPlane, UnrelatedWrites unrelated) {
		this.controlPlane = controlPlane;
		this.unrelated = unrelated;
	}

	/** Runs the benchmark. */
	public static void main(String[] args) {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		List<String> options = List.of(args);
		Plan plan = options.contains("--quick") ? new Plan(5_000, 60, 2, 8, 3)
				: options.contains("--full") ? new Plan(300_000, 300, 3, 10, 5) : new Plan(30_000, 60, 3, 20, 5);
		try (ControlPlane controlPlane = ControlPlane.start();
				UnrelatedWrites unrelated = new UnrelatedWrites(controlPlane)) {
			ConsistentReadBench bench = new ConsistentReadBench(controlPlane, unrelated);
			bench.small(plan);
			bench.large(plan);
			stdout.println(bench.json + "}");
		}
		System.exit(0);
	}

	private void small(Plan plan) {
		fill("small", plan.small, KIB);
		try (Readers readers = new Readers(this.controlPlane, "small")) {
			Map<String, IntSupplier> kinds = new LinkedHashMap<>();
			kinds.put("direct", readers.direct(Map.of()));
			kinds.put("validated", readers.validated());
			kinds.put("copied", readers.copied());
			kinds.put("barrier", readers.barrier());
			kinds.put("directLabel", readers.direct(Map.of("percent", "7")));
			kinds.put("validatedLabel", readers.validated(Map.of("percent", "7")));
			kinds.put("directNothing", readers.direct(Map.of("percent", "none")));
			kinds.put("validatedNothing", readers.validated(Map.of("percent", "none")));
			Map<String, Sample> busy = measure(readers, kinds, plan.rounds, plan.smallReads, "1K", "");
			ratio("validated1KRatio", busy, "validated", "direct");
			ratio("barrier1KRatio", busy, "barrier", "direct");
			ratio("validated1KCopiedRatio", busy, "copied", "direct");
			Map<String, IntSupplier> both = new LinkedHashMap<>(kinds);
			both.keySet().retainAll(List.of("direct", "validated"));
			Map<String, Sample> spaced = measure(readers, both, 1, plan.smallReads, "1K", SPACED);
			ratio("validated1KSpacedRatio", spaced, "validated", "direct");
			Map<String, Sample> quiet = measure(readers, kinds, 1, plan.smallReads, "1K", QUIET);
			ratio("validated1KQuietRatio", quiet, "validated", "direct");
			ratio("barrier1KQuietRatio", quiet, "barrier", "direct");
		}
	}

	private void large(Plan plan) {
		fill("large", plan.large, MIB);
		try (Readers readers = new Readers(this.controlPlane, "large")) {
			Map<String, IntSupplier> kinds = new LinkedHashMap<>();
			kinds.put("direct", readers.direct(Map.of()));
			kinds.put("validated", readers.validated());
			kinds.put("barrier", readers.barrier());
			Map<String, Sample> busy = measure(readers, kinds, plan.rounds, plan.largeReads, "1M", "");
			ratio("validated1MRatio", busy, "validated", "direct");
			ratio("barrier1MRatio", busy, "barrier", "direct");
			number("validated1MBytesRatio", sample(busy, "validated").bytes() / sample(busy, "direct").bytes());
			Map<String, Sample> quiet = measure(readers, kinds, 1, plan.largeReads, "1M", QUIET);
			ratio("validated1MQuietRatio", quiet, "validated", "direct");
		}
	}

	/* In turns, so that all kinds meet the same troubles of the machine. */
	private Map<String, Sample> measure(Readers readers, Map<String, IntSupplier> kinds, int rounds, int reads,
			String size, String world) {
		this.unrelated.quiet(world.equals(QUIET));
		Runnable pause = world.equals(SPACED) ? this::pause : () -> {
		};
		Map<String, Sample> samples = new LinkedHashMap<>();
		kinds.values().forEach((read) -> readers.measure(read, 1, pause));
		readers.probeShare();
		for (int round = 0; round < rounds; round++) {
			kinds.forEach((kind, read) -> {
				int times = kind.startsWith("direct") ? reads : 2 * reads;
				samples.merge(kind, readers.measure(read, times, pause), Sample::and);
			});
		}
		samples.forEach((kind, sample) -> {
			System.err.printf("%s %-6s %-17s %s%n", size, world, kind, sample);
			number(kind + size + world + "P50Millis", sample.p50());
			number(kind + size + world + "P99Millis", sample.p99());
			number(kind + size + world + "Bytes", sample.bytes());
			number(kind + size + world + "ClientCpuMillis", sample.clientCpuMillis());
			number(kind + size + world + "ApiServerCpuMillis", sample.serverCpuMillis());
		});
		number("probeShare" + size + world, readers.probeShare());
		return samples;
	}

	/*
	 * An API server asks etcd how far it is ten times a second at most, so that a reader
	 * who never pauses measures that pace.
	 */
	private void pause() {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100 + this.random.nextInt(100)));
	}

	private void fill(String namespace, int objects, int size) {
		this.controlPlane.client()
			.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
			.create();
		ApiRequests requests = new ApiRequests(this.controlPlane.client());
		String data = "x".repeat(size);
		int batch = (size > KIB) ? 4 : 100;
		for (int from = 0; from < objects; from += batch) {
			CompletableFuture<?>[] created = new CompletableFuture<?>[Math.min(batch, objects - from)];
			for (int i = 0; i < created.length; i++) {
				created[i] = requests
					.send(ApiRequest.of("POST", "/api/v1/namespaces/" + namespace + "/configmaps", MediaTypes.JSON, """
							{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"object-%d",\
							"labels":{"percent":"%d"}},"data":{"d":"%s"}}""".formatted(from + i, (from + i) % 100,
							data)));
			}
			CompletableFuture.allOf(created).join();
		}
		System.err.printf("%,d objects of %,d bytes are there%n", objects, size);
	}

	private void ratio(String name, Map<String, Sample> samples, String kind, String other) {
		number(name, sample(samples, kind).p50() / sample(samples, other).p50());
	}

	private void number(String name, double value) {
		this.json.append(String.format(Locale.ROOT, ",\"%s\":%.4f", name, value));
	}

	private static Sample sample(Map<String, Sample> samples, String kind) {
		return Objects.requireNonNull(samples.get(kind), kind);
	}

	/**
	 * @param small objects of 1 KB
	 * @param large objects of 1 MB
	 * @param rounds of reads of each kind
	 * @param smallReads in a round, of small objects; twice as many from the cache
	 * @param largeReads in a round, of large objects; twice as many from the cache
	 */
	private record Plan(int small, int large, int rounds, int smallReads, int largeReads) {
	}

}
