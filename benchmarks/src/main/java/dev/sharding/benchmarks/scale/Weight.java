package dev.sharding.benchmarks.scale;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.benchmarks.cluster.Consumption;
import dev.sharding.benchmarks.cluster.Figures;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.test.ManagedProcess;

/**
 * What the objects themselves weigh, without any sharder: in etcd, in the memory of the
 * API server, and on the wire. For sizing, {@code docs/scale.md}.
 */
final class Weight implements Part {

	private static final int PAGE = 500;

	private static final int SOME = 3_000;

	/* As many shards, each with its own label. */
	private static final int WATCHES = 200;

	private static final String NOBODY = "bench/owner=nobody";

	@Override
	public void run(Stage stage, Figures figures) throws Exception {
		ApiRequests requests = new ApiRequests(stage.client());
		stage.population().createSecrets(Population.SECRETS, 0, Options.FEW, (name) -> "");
		long stored = stored(requests);
		long etcd = resident(stage.controlPlane().etcd().process());
		long apiServer = resident(stage.controlPlane().apiServer().process());
		long begin = System.nanoTime();
		stage.population().createSecrets(Population.SECRETS, Options.FEW, stage.objects(), (name) -> "");
		int more = stage.objects() - Options.FEW;
		figures.put("createdPerSecond", more * 1e9 / (System.nanoTime() - begin));
		figures.put("storedBytes", (stored(requests) - stored) / more);
		figures.put("etcdResidentBytes", (resident(stage.controlPlane().etcd().process()) - etcd) / more);
		figures.put("apiServerResidentBytes",
				(resident(stage.controlPlane().apiServer().process()) - apiServer) / more);
		figures.put("pageBytes", page(requests, MediaTypes.METADATA_LIST) / PAGE);
		figures.put("pageBytesProtobuf", page(requests, MediaTypes.METADATA_LIST_PROTOBUF) / PAGE);
		begin = System.nanoTime();
		int listed = list(requests);
		figures.put("listedPerSecond", listed * 1e9 / (System.nanoTime() - begin));
		figures.put("scannedPerSecond", scanned(stage, requests));
		double alone = createCpu(stage, stage.objects());
		double watched = watchedCreateCpu(stage, stage.objects() + SOME);
		figures.put("filteredEventNanos", (watched - alone) * 1e3 / WATCHES);
	}

	/* A list by a label that no object has looks at all of them. */
	private static double scanned(Stage stage, ApiRequests requests) {
		int lists = 5;
		long begin = System.nanoTime();
		for (int i = 0; i < lists; i++) {
			requests.call(ApiRequest.of("GET", Population.SECRETS)
				.query("labelSelector", NOBODY)
				.accept(MediaTypes.METADATA_LIST));
		}
		return lists * (double) stage.objects() * 1e9 / (System.nanoTime() - begin);
	}

	/* Of the API server for each create, in microseconds. */
	private static double createCpu(Stage stage, int from) throws InterruptedException {
		long pid = stage.controlPlane().apiServer().process().pid().orElseThrow();
		long before = Consumption.cpu(pid).toNanos();
		stage.population().createSecrets(Population.SECRETS, from, from + SOME, (name) -> "");
		return (Consumption.cpu(pid).toNanos() - before) / 1e3 / SOME;
	}

	private static double watchedCreateCpu(Stage stage, int from) throws InterruptedException {
		List<MetadataWatch> watches = new ArrayList<>();
		try {
			for (int i = 0; i < WATCHES; i++) {
				watches.add(new MetadataWatch(stage.client(), Population.SECRETS, Stage.RING, NOBODY, (event) -> {
				}));
			}
			return createCpu(stage, from);
		}
		finally {
			watches.forEach(MetadataWatch::close);
		}
	}

	private static long resident(ManagedProcess process) throws IOException {
		return Consumption.residentBytes(process.pid().orElseThrow());
	}

	/* The size of etcd's file, as the API server tells. */
	private static long stored(ApiRequests requests) {
		return requests.call(ApiRequest.of("GET", "/metrics").accept("text/plain"))
			.text()
			.lines()
			.filter((line) -> line.startsWith("apiserver_storage_size_bytes{"))
			.mapToLong((line) -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
			.sum();
	}

	private static long page(ApiRequests requests, String mediaType) {
		return requests
			.call(ApiRequest.of("GET", Population.SECRETS).query("limit", Integer.toString(PAGE)).accept(mediaType))
			.bytes().length;
	}

	private static int list(ApiRequests requests) {
		int pages = 0;
		String next = "";
		do {
			String page = requests
				.call(ApiRequest.of("GET", Population.SECRETS)
					.query("limit", Integer.toString(PAGE))
					.query("continue", next.isEmpty() ? null : next)
					.accept(MediaTypes.METADATA_LIST))
				.text();
			next = MetadataWatch.between(page, "\"continue\":\"");
			pages++;
		}
		while (!next.isEmpty());
		return pages * PAGE;
	}

}
