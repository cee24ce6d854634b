package dev.sharding.benchmarks.webhook;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sharding.benchmarks.cluster.Launch;

/**
 * The sharder as a program with its webhook, as the image of it runs.
 */
final class SharderProcess implements AutoCloseable {

	private static final Pattern RSS = Pattern.compile("VmRSS:\\s+(\\d+) kB");

	private final Process process;

	private final Path log;

	/**
	 * Starts a sharder.
	 * @param reachable whether its webhook is where the API server looks for it
	 */
	SharderProcess(Path kubeconfig, String excludedNamespaces, boolean reachable) throws IOException {
		int port = freePort();
		int asked = reachable ? port : freePort();
		this.log = Files.createTempFile("sharder-", ".log");
		List<String> command = Launch.shipped()
			.command(List.of("-jar", jar().toString(), "--server.port=0", "--sharding.sharder.mode=both",
					"--sharding.sharder.webhook.bind-address=127.0.0.1", "--sharding.sharder.webhook.port=" + port,
					"--sharding.sharder.webhook.url=https://127.0.0.1:" + asked,
					"--sharding.sharder.excluded-namespaces=" + excludedNamespaces));
		// env becomes the JVM, so the process is the sharder.
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.log.toFile());
		builder.environment().put("KUBECONFIG", kubeconfig.toString());
		this.process = builder.start();
		Runtime.getRuntime().addShutdownHook(new Thread(this.process::destroyForcibly));
	}

	Duration cpu() {
		return this.process.toHandle()
			.info()
			.totalCpuDuration()
			.orElseThrow(() -> new IllegalStateException("The sharder has ended, see " + this.log));
	}

	long residentMebibytes() throws IOException {
		Matcher matcher = RSS.matcher(Files.readString(Path.of("/proc", Long.toString(this.process.pid()), "status")));
		return matcher.find() ? Long.parseLong(matcher.group(1)) / 1024 : 0;
	}

	private static Path jar() throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of("sharding-sharder", "target"),
				"sharding-sharder-*-exec.jar")) {
			for (Path jar : jars) {
				return jar.toAbsolutePath();
			}
		}
		throw new IllegalStateException("The sharder is not built: mvn -pl sharding-sharder -am -DskipTests package");
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	@Override
	public void close() throws Exception {
		this.process.destroy();
		if (!this.process.waitFor(30, TimeUnit.SECONDS)) {
			this.process.destroyForcibly();
		}
		Files.deleteIfExists(this.log);
	}

}
