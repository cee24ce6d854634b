package dev.sharding.benchmarks.runtime;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

import dev.sharding.benchmarks.cluster.Consumption;
import dev.sharding.benchmarks.cluster.Launch;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.benchmarks.cluster.Waiting;
import dev.sharding.benchmarks.runtime.Contender.Place;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.WatchedProcess;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;

/**
 * Says what our runtime spends its CPU time on: in its start, and then under a steady
 * rate of changes. Needs a JVM that samples by CPU time, which is 25 or later on Linux.
 */
public final class RuntimeProfile {

	private static final String SAMPLES = "jdk.CPUTimeSample#enabled=true";

	private static final int CHANGES_A_SECOND = 200;

	private RuntimeProfile() {
	}

	/** Runs the profile from the folder of the project. */
	public static void main(String[] args) throws Exception {
		PrintStream stdout = System.out;
		System.setOut(System.err);
		boolean quick = List.of(args).contains("--quick");
		int objects = quick ? 1000 : 5000;
		Duration changes = quick ? Duration.ofSeconds(10) : Duration.ofMinutes(1);
		Path folder = Files.createDirectories(Path.of("benchmarks/target/profile")).toAbsolutePath();
		Place place = new Place("profile", "profile");
		Contender ours = Contender
			.ours(Launch.shipped().withFlags("-XX:StartFlightRecording=name=start,settings=profile," + SAMPLES));
		try (ControlPlane controlPlane = ControlPlane.start()) {
			Rings.install(controlPlane.client(), Contender.RING);
			controlPlane.client()
				.resource(new NamespaceBuilder().withNewMetadata().withName(place.namespace()).endMetadata().build())
				.create();
			controlPlane.client().resource(FreeLease.of(place)).create();
			try (Results results = new Results(controlPlane.client(), place.namespace());
					Load load = new Load(controlPlane.client(), place.namespace(), objects, results)) {
				load.create(Map.of(ShardingLabels.shard(Contender.RING), place.shard()));
				List<String> command = new ArrayList<>(
						List.of("/usr/bin/env", "KUBECONFIG=" + controlPlane.admin().kubeconfigFile()));
				command.addAll(ours.command().apply(place));
				WatchedProcess process = WatchedProcess.start(command, folder.resolve("log"));
				try {
					Waiting.until("the results, see " + folder, Duration.ofMinutes(3), () -> {
						if (!process.isAlive()) {
							throw new IllegalStateException("The process has ended, see " + folder);
						}
						return results.right() == objects;
					});
					CpuByThread start = CpuByThread.of(process.pid());
					CpuShares started = stop(process, "start", folder, start);
					load.change(CHANGES_A_SECOND, changes.dividedBy(2));
					jcmd(process, "JFR.start", "name=changes", "settings=profile", SAMPLES);
					CpuByThread before = CpuByThread.of(process.pid());
					load.change(CHANGES_A_SECOND, changes);
					CpuShares changed = stop(process, "changes", folder, CpuByThread.of(process.pid()).since(before));
					StringJoiner json = new StringJoiner(",", "{", "}").add("\"bench\":\"profile\"");
					json.add("\"objects\":" + objects);
					json.add("\"start\":" + started.json());
					json.add("\"changes\":" + changed.json());
					json.add(String.format(Locale.ROOT, "\"rssMiB\":%.0f",
							Consumption.residentBytes(process.pid()) / (double) (1 << 20)));
					stdout.println(json);
				}
				finally {
					process.killNow();
				}
			}
		}
	}

	private static CpuShares stop(WatchedProcess process, String name, Path folder, CpuByThread cpu)
			throws IOException {
		Path file = folder.resolve(name + ".jfr");
		jcmd(process, "JFR.stop", "name=" + name, "filename=" + file);
		CpuShares shares = CpuShares.of(file, cpu);
		System.err.println(name + ", CPU seconds, see " + file + "\n" + shares.text());
		return shares;
	}

	private static void jcmd(WatchedProcess process, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List
			.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(process.pid())));
		command.addAll(List.of(arguments));
		Process jcmd = new ProcessBuilder(command).redirectErrorStream(true).start();
		System.err.println(new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
	}

}
