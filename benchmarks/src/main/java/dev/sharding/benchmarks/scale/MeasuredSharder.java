package dev.sharding.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Pause;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.SharderProcess;
import dev.sharding.benchmarks.cluster.Waiting;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * A sharder with the shipped flags but for its heap, and with a log of its collections.
 */
final class MeasuredSharder implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(15);

	private static final String RESYNCS = "controller_sharding_resync_seconds_count";

	private static final Pattern FULL = Pattern.compile("Pause Full .*?\\d+M->(\\d+)M\\(");

	private final KubernetesClient client;

	private final SharderProcess process;

	private final Path collections;

	private final @Nullable FullCollections forced;

	private MeasuredSharder(KubernetesClient client, SharderProcess process, Path collections, boolean collecting) {
		this.client = client;
		this.process = process;
		this.collections = collections;
		this.forced = collecting ? new FullCollections(process.pid()) : null;
	}

	/**
	 * Starts one.
	 * @param heap mebibytes
	 * @param collecting whether all garbage is collected twice a second: then its memory
	 * can be read, and its speed and CPU time mean nothing
	 */
	static MeasuredSharder start(KubernetesClient client, Path kubeconfig, long heap, boolean collecting,
			List<String> arguments) throws IOException {
		Path log = Files.createTempFile("sharder-gc-", ".log");
		Launch launch = Launch.shipped().withHeap(heap).withFlags("-Xlog:gc:file=" + log + ":uptime:filecount=0");
		return new MeasuredSharder(client, SharderProcess.start(kubeconfig, launch, arguments), log, collecting);
	}

	SharderProcess process() {
		return this.process;
	}

	/** Waits until it leads. */
	void awaitTerm() {
		await("the sharder to lead", () -> {
			String holder = this.client.leases()
				.inNamespace("sharding-system")
				.withName("sharder")
				.get()
				.getSpec()
				.getHolderIdentity();
			return holder != null && !holder.isEmpty();
		});
	}

	/** Waits until so many shards are available, and it has looked at all objects. */
	void awaitRest(int shards) {
		await(shards + " available shards", () -> Rings.available(this.client, Stage.RING) == shards);
		awaitResyncs(1);
	}

	/** How many resyncs have succeeded. */
	int resyncs() {
		return (int) this.process.meter(RESYNCS, "success");
	}

	void awaitResyncs(int count) {
		await(count + " resyncs", () -> resyncs() >= count);
	}

	private void await(String what, BooleanSupplier condition) {
		Waiting.until(what, PATIENCE, () -> {
			if (!this.process.isAlive()) {
				throw new IllegalStateException("The sharder has ended, see " + this.process.log());
			}
			// Each look is a request.
			Pause.of(Duration.ofMillis(100));
			return condition.getAsBoolean();
		});
	}

	/** The most that was alive after a full collection so far, in mebibytes. */
	long peak() throws IOException {
		Matcher matcher = FULL.matcher(Files.readString(this.collections));
		long peak = 0;
		while (matcher.find()) {
			peak = Math.max(peak, Long.parseLong(matcher.group(1)));
		}
		if (peak == 0) {
			throw new IllegalStateException("There was no full collection, see " + this.collections);
		}
		return peak;
	}

	double cpuMicros() {
		return this.process.cpu().toNanos() / 1e3;
	}

	/** Ends it as a power cut would. */
	void kill() throws IOException {
		this.process.kill();
	}

	@Override
	public void close() throws IOException {
		if (this.forced != null) {
			this.forced.close();
		}
		this.process.close();
		Files.deleteIfExists(this.collections);
	}

}
