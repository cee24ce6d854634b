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

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;

/**
 * Lists everything, one label in a hundred and nothing, by the API server and by each
 * strategy, while an unrelated resource is written and in quiet: in a closed loop without
 * and with pauses, and at a fixed rate.
 */
public final class ConsistentReadBench {

	private static final int KIB = 1_000;

	private static final int MIB = 1_000_000;

	/** Nobody writes anything. */
	private static final String QUIET = "Quiet";

	/** Readers pause between two reads. */
	private static final String SPACED = "Spaced";

	/** A selector that selects no object, of 1 KB each. */
	private static final String NOTHING = "Nothing";

	private final Random random = new Random(1);

	private final ControlPlane controlPlane;

	private final UnrelatedWrites unrelated;

	private final Plan plan;

	private final Results results = new Results();

	private final PacedLists paced;

	private ConsistentReadBench(ControlPlane controlPlane, UnrelatedWrites unrelated, Plan plan) {
		this.controlPlane = controlPlane;
		this.unrelated = unrelated;
		this.plan = plan;
		this.paced = new PacedLists(plan.fixed(), this.results);
	}

	/** Runs the benchmark. */
	public static void main(String[] args) {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		List<String> options = List.of(args);
		try (ControlPlane controlPlane = ControlPlane.start();
				UnrelatedWrites unrelated = new UnrelatedWrites(controlPlane)) {
			ConsistentReadBench bench = new ConsistentReadBench(controlPlane, unrelated, Plan.of(options));
			bench.small();
			bench.large();
			bench.results.number("waitP99Millis", bench.paced.waitP99Millis());
			stdout.println(bench.results.finish());
		}
		System.exit(0);
	}

	private void small() {
		fill("small", this.plan.small(), KIB);
		try (Readers readers = new Readers(this.controlPlane, "small")) {
			Map<String, IntSupplier> all = kinds(readers, Map.of());
			Map<String, IntSupplier> nothing = kinds(readers, Map.of("percent", "none"));
			if (this.plan.rounds() > 0) {
				smallInAClosedLoop(readers, all, nothing);
			}
			atRate(readers, all, this.plan.smallRate(), "1K", this.plan.everyWorld());
			atRate(readers, nothing, this.plan.nothingRate(), NOTHING, true);
		}
	}

	private void smallInAClosedLoop(Readers readers, Map<String, IntSupplier> all, Map<String, IntSupplier> nothing) {
		Map<String, IntSupplier> kinds = new LinkedHashMap<>(all);
		kinds.put("directLabel", readers.direct(Map.of("percent", "7")));
		kinds.put("validatedLabel", readers.validated(Map.of("percent", "7")));
		nothing.forEach((kind, read) -> kinds.put(kind + NOTHING, read));
		Map<String, Sample> busy = measure(readers, kinds, this.plan.rounds(), this.plan.smallReads(), "1K", "");
		ratio("validated1KRatio", busy, "validated", "direct");
		ratio("barrier1KRatio", busy, "barrier", "direct");
		double copied = ratio("validated1KCopiedRatio", busy, "copied", "direct");
		System.err.printf(Locale.ROOT,
				"validated1KCopiedRatio, as reads are by default: %.2f (aim 0.50 with 300,000 objects)%n", copied);
		Map<String, IntSupplier> both = new LinkedHashMap<>(kinds);
		both.keySet().retainAll(List.of("direct", "validated"));
		Map<String, Sample> spaced = measure(readers, both, 1, this.plan.smallReads(), "1K", SPACED);
		ratio("validated1KSpacedRatio", spaced, "validated", "direct");
		Map<String, Sample> quiet = measure(readers, kinds, 1, this.plan.smallReads(), "1K", QUIET);
		ratio("validated1KQuietRatio", quiet, "validated", "direct");
		ratio("barrier1KQuietRatio", quiet, "barrier", "direct");
	}

	private void large() {
		fill("large", this.plan.large(), MIB);
		try (Readers readers = new Readers(this.controlPlane, "large")) {
			Map<String, IntSupplier> kinds = kinds(readers, Map.of());
			if (this.plan.rounds() > 0) {
				largeInAClosedLoop(readers, kinds);
			}
			atRate(readers, kinds, Plan.LARGE_RATE, "1M", this.plan.everyWorld());
		}
	}

	private void largeInAClosedLoop(Readers readers, Map<String, IntSupplier> kinds) {
		Map<String, Sample> busy = measure(readers, kinds, this.plan.rounds(), this.plan.largeReads(), "1M", "");
		ratio("validated1MRatio", busy, "validated", "direct");
		ratio("barrier1MRatio", busy, "barrier", "direct");
		this.results.number("validated1MBytesRatio",
				sample(busy, "validated").perRead().bytes() / sample(busy, "direct").perRead().bytes());
		Map<String, Sample> quiet = measure(readers, kinds, 1, this.plan.largeReads(), "1M", QUIET);
		ratio("validated1MQuietRatio", quiet, "validated", "direct");
	}

	private static Map<String, IntSupplier> kinds(Readers readers, Map<String, String> labels) {
		Map<String, IntSupplier> kinds = new LinkedHashMap<>();
		kinds.put("direct", readers.direct(labels));
		kinds.put("validated", readers.validated(labels));
		kinds.put("copied", readers.copied(labels));
		kinds.put("barrier", readers.barrier(labels));
		kinds.put("live", readers.live(labels));
		return kinds;
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
				int times = (kind.startsWith("direct") || kind.startsWith("live")) ? reads : 2 * reads;
				samples.merge(kind, readers.measure(read, times, pause), Sample::and);
			});
		}
		samples.forEach((kind, sample) -> {
			System.err.printf("%s %-6s %-17s %s%n", size, world, kind, sample);
			this.results.number(kind + size + world + "P50Millis", sample.p50());
			this.results.number(kind + size + world + "P99Millis", sample.p99());
			this.results.number(kind + size + world + "Bytes", sample.perRead().bytes());
			this.results.number(kind + size + world + "ClientCpuMillis", sample.perRead().clientMillis());
			this.results.number(kind + size + world + "ApiServerCpuMillis", sample.perRead().apiServerMillis());
			this.results.number(kind + size + world + "EtcdCpuMillis", sample.perRead().etcdMillis());
			this.results.table()
				.add(objects(kind, size), world.equals(SPACED) ? "" : world,
						world.equals(SPACED) ? "with pauses" : "closed loop", kind.replaceAll("(Label|Nothing)$", ""),
						sample);
		});
		this.results.number("probeShare" + size + world, readers.probeShare());
		return samples;
	}

	private static String objects(String kind, String size) {
		return kind.endsWith(NOTHING) ? NOTHING : kind.endsWith("Label") ? "Label" : size;
	}

	private void atRate(Readers readers, Map<String, IntSupplier> kinds, int perSecond, String objects,
			boolean everyWorld) {
		this.unrelated.quiet(false);
		this.paced.measure(readers, kinds, perSecond, objects, "");
		if (everyWorld) {
			this.unrelated.quiet(true);
			this.paced.measure(readers, kinds, perSecond, objects, QUIET);
		}
		else {
			this.results.leaveOut("cpuRatio" + objects + QUIET);
		}
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

	private double ratio(String name, Map<String, Sample> samples, String kind, String other) {
		double ratio = sample(samples, kind).p50() / sample(samples, other).p50();
		this.results.number(name, ratio);
		return ratio;
	}

	private static Sample sample(Map<String, Sample> samples, String kind) {
		return Objects.requireNonNull(samples.get(kind), kind);
	}

}
