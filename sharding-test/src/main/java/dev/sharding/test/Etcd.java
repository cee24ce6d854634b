package dev.sharding.test;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The etcd of a control plane. It speaks plain HTTP on loopback and does not sync to
 * disk: its data survive the death of its process, not the death of the machine.
 */
public final class Etcd {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final int REQUEST_TIMEOUT_MILLIS = 10_000;

	private static final Pattern REVISION = Pattern.compile("\"revision\":\\s*\"?(\\d+)");

	private final int port;

	private final String name;

	private final ManagedProcess process;

	/* Compacting twice up to the same revision is an error for etcd, not for us. */
	private long compacted;

	Etcd(Path program, Path folder, int port, int peerPort, List<String> flags, Consumer<ManagedProcess> onDeath) {
		this.port = port;
		// A name of its own tells this etcd from a stranger that took the port first.
		this.name = "sharding-test-" + port + "-" + System.nanoTime();
		String peer = "http://127.0.0.1:" + peerPort;
		List<String> command = new ArrayList<>(
				List.of(program.toString(), "--name=" + this.name, "--data-dir=" + folder.resolve("etcd"),
						"--listen-client-urls=" + url(), "--advertise-client-urls=" + url(),
						"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
						"--initial-cluster=" + this.name + "=" + peer, "--unsafe-no-fsync"));
		command.addAll(flags);
		this.process = new ManagedProcess("etcd", command, folder.resolve("etcd.log"),
				(process) -> Waits.untilReady(process, START_TIMEOUT, this::answers), onDeath);
	}

	/** The address for clients. */
	public String url() {
		return "http://127.0.0.1:" + this.port;
	}

	/** The process: stop, kill, pause, resume, restart. */
	public ManagedProcess process() {
		return this.process;
	}

	/** The current revision of the store. */
	public long revision() {
		return revisionIn(post("/v3/kv/range", "{\"key\":\"AA==\",\"count_only\":true}"));
	}

	/**
	 * Removes the history before the current revision. See
	 * {@link ControlPlane#forgetHistory()} for what that does to lists and watches.
	 * @return the revision up to which history is gone
	 */
	public synchronized long compact() {
		long revision = revision();
		if (revision > this.compacted) {
			post("/v3/kv/compaction", "{\"revision\":\"" + revision + "\",\"physical\":true}");
			this.compacted = revision;
		}
		return revision;
	}

	private boolean answers() {
		try {
			return post("/v3/cluster/member/list", "{}").contains(this.name);
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	private static long revisionIn(String answer) {
		Matcher matcher = REVISION.matcher(answer);
		if (!matcher.find()) {
			throw new IllegalStateException("Failed to read a revision from the answer of etcd: " + answer);
		}
		return Long.parseLong(matcher.group(1));
	}

	/* etcd's own JSON gateway: keys and values are Base64. */
	private String post(String path, String body) {
		try {
			HttpURLConnection connection = (HttpURLConnection) URI.create(url() + path)
				.toURL()
				.openConnection(Proxy.NO_PROXY);
			connection.setConnectTimeout(REQUEST_TIMEOUT_MILLIS);
			connection.setReadTimeout(REQUEST_TIMEOUT_MILLIS);
			connection.setDoOutput(true);
			connection.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
			int status = connection.getResponseCode();
			try (InputStream answer = (status < 400) ? connection.getInputStream() : connection.getErrorStream()) {
				String text = new String(answer.readAllBytes(), StandardCharsets.UTF_8);
				if (status >= 400) {
					throw new IllegalStateException("Failed to call etcd " + path + ": " + status + " " + text);
				}
				return text;
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to call etcd " + path, ex);
		}
	}

}
