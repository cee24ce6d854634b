package dev.sharding.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The etcd of a control plane. It speaks plain HTTP on loopback and does not sync to
 * disk: its data survive the death of its process, not the death of the machine.
 */
public final class Etcd {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private static final int REQUEST_TIMEOUT_MILLIS = 10_000;

	private static final Pattern REVISION = Pattern.compile("\"revision\":\\s*\"?(\\d+)");

	private final int port;

	private static final Pattern MEMBER = Pattern.compile("\"member_id\":\\s*\"?(\\d+)");

	/** Key that nobody reads, in Base64. */
	private static final String UNUSED_KEY = "c2hhcmRpbmctdGVzdA==";

	/** So far above the old revision that nobody has it by chance. */
	private static final long BUMP = 100;

	private final String name;

	private final Path data;

	private final ManagedProcess process;

	/* Compacting twice up to the same revision is an error for etcd, not for us. */
	private long compacted;

	Etcd(Path program, Path folder, int port, int peerPort, List<String> flags, Consumer<ManagedProcess> onDeath) {
		this.port = port;
		// A name of its own tells this etcd from a stranger that took the port first.
		this.name = "sharding-test-" + port + "-" + System.nanoTime();
		this.data = folder.resolve("etcd");
		String peer = "http://127.0.0.1:" + peerPort;
		List<String> command = new ArrayList<>(List.of(program.toString(), "--name=" + this.name,
				"--data-dir=" + this.data, "--listen-client-urls=" + url(), "--advertise-client-urls=" + url(),
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

	/**
	 * Copies the data as they are at one moment. The process stands still meanwhile, for
	 * some tenths of a second.
	 * @param folder a folder that does not exist yet
	 */
	public void copyTo(Path folder) {
		this.process.pause();
		try {
			copy(this.data, folder);
		}
		finally {
			this.process.resume();
		}
	}

	/**
	 * Has the data be those of a copy again, as an administrator does with a snapshot:
	 * everything that was written since is lost, the revision goes on above the highest
	 * that anybody has seen, and there is no history. Stop the API servers before, and
	 * start them again: they would answer from memory.
	 * @param copy where {@link #copyTo} has put it
	 * @return the revision of the copy
	 */
	public synchronized long restore(Path copy) {
		long highest = revision();
		this.process.stop();
		ServerFiles.delete(this.data, (path) -> true);
		copy(copy, this.data);
		this.process.start();
		long restored = revision();
		for (long revision = restored; revision < highest + BUMP; revision++) {
			post("/v3/kv/put", "{\"key\":\"" + UNUSED_KEY + "\",\"value\":\"\"}");
		}
		post("/v3/kv/deleterange", "{\"key\":\"" + UNUSED_KEY + "\"}");
		compact();
		return restored;
	}

	/**
	 * Has etcd refuse every write, as when its quota is used up, or take writes again.
	 * Reads and deletions go on.
	 * @param full whether there is no space
	 */
	public void full(boolean full) {
		Matcher matcher = MEMBER.matcher(post("/v3/cluster/member/list", "{}"));
		if (!matcher.find()) {
			throw new IllegalStateException("Failed to read the id of etcd");
		}
		post("/v3/maintenance/alarm", "{\"action\":\"%s\",\"memberID\":\"%s\",\"alarm\":\"NOSPACE\"}"
			.formatted(full ? "ACTIVATE" : "DEACTIVATE", matcher.group(1)));
	}

	private static void copy(Path from, Path to) {
		try (Stream<Path> paths = Files.walk(from)) {
			for (Path path : (Iterable<Path>) paths::iterator) {
				Files.copy(path, to.resolve(from.relativize(path).toString()));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Failed to copy " + from + " to " + to, ex);
		}
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
