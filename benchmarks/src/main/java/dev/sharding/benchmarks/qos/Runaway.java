package dev.sharding.benchmarks.qos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.test.ControlPlane;

/**
 * A neighbour in a process of its own, with the lowest priority: in a cluster it would
 * run on another machine, and is to disturb others through the API server only.
 */
final class Runaway implements AutoCloseable {

	private final Process process;

	private final BufferedReader output;

	private Runaway(Process process) {
		this.process = process;
		this.output = process.inputReader();
	}

	/**
	 * Starts a neighbour whose lists may return so many objects a second, 0 for no limit.
	 */
	static Runaway start(ControlPlane controlPlane, double objects) throws IOException {
		List<String> command = new ArrayList<>(List.of("nice", "-n", "19"));
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), RunawayClient.class.getName(),
				controlPlane.admin().kubeconfigFile().toString(), Double.toString(objects)));
		return new Runaway(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
	}

	/** Returns when its first list is there. */
	void go() {
		tell("go");
	}

	/** Returns how many lists there were since then. */
	int stop() {
		return Integer.parseInt(tell("stop"));
	}

	private String tell(String line) {
		try {
			this.process.outputWriter().write(line + "\n");
			this.process.outputWriter().flush();
			String answer = this.output.readLine();
			if (answer == null) {
				throw new IllegalStateException("The neighbour has ended");
			}
			return answer;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() throws IOException {
		this.process.outputWriter().close();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
