package dev.sharding.internal.sharder.ui;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code kubectl port-forward} to one pod, as a child of this process. It knows every way
 * to sign in, and ends with the pod.
 */
public final class Tunnel implements AutoCloseable {

	private static final Pattern READY = Pattern.compile("Forwarding from 127\\.0\\.0\\.1:(\\d+) ->.*");

	private final Process process;

	private final int port;

	private Tunnel(Process process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Opens a tunnel. Returns when it is open.
	 * @param flags the flags of kubectl that name the cluster
	 * @param namespace the namespace of the pod
	 * @param pod its name
	 * @param port its port
	 * @return the tunnel
	 * @throws IOException if there is no kubectl, or it does not get there; the message
	 * says what it said
	 */
	public static Tunnel open(List<String> flags, String namespace, String pod, int port) throws IOException {
		List<String> command = new ArrayList<>(List.of("kubectl", "port-forward", "--address", "127.0.0.1"));
		command.addAll(flags);
		command.addAll(List.of("--namespace", namespace, "pod/" + pod, ":" + port));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		// Also where a signal ends this process without a word to anybody.
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
		process.getOutputStream().close();
		BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
		StringBuilder said = new StringBuilder();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			Matcher ready = READY.matcher(line);
			if (ready.matches()) {
				drain(output);
				return new Tunnel(process, Integer.parseInt(ready.group(1)));
			}
			said.append(said.isEmpty() ? "" : " ").append(line);
		}
		throw new IOException("kubectl port-forward to pod %s/%s has ended: %s".formatted(namespace, pod, said));
	}

	/* It says a line for each connection, and would stop if nobody read them. */
	private static void drain(BufferedReader output) {
		Thread reader = new Thread(() -> {
			try {
				output.transferTo(Writer.nullWriter());
			}
			catch (IOException ended) {
				// With the process.
			}
		}, "port-forward");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Its end on this machine.
	 * @return a port of loopback
	 */
	public int port() {
		return this.port;
	}

	/**
	 * Tells whether it is open.
	 * @return {@code false} once it has ended, whatever the reason
	 */
	public boolean isOpen() {
		return this.process.isAlive();
	}

	/** Closes it. Returns when its port is free. */
	@Override
	public void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(2, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
