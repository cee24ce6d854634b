package dev.sharding.benchmarks.scale;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Watches the metadata of objects from now on and reads no more of them than it must, so
 * that whoever measures takes little CPU time from what is measured.
 */
final class MetadataWatch implements AutoCloseable {

	private static final String VERSION = "\"resourceVersion\":\"";

	private static final Duration SILENCE = Duration.ofHours(3);

	private final ApiRequests requests;

	private final ApiRequest request;

	private final String label;

	private final Consumer<Event> consumer;

	private volatile ApiStream stream;

	private volatile String version;

	private volatile boolean closed;

	private volatile @Nullable String broken;

	/**
	 * Begins to watch.
	 * @param path of the resource in its namespace
	 * @param ring whose labels are looked at
	 * @param selector of labels, or {@code null} for all objects
	 * @param consumer gets one event at a time
	 */
	MetadataWatch(KubernetesClient client, String path, String ring, @Nullable String selector,
			Consumer<Event> consumer) {
		this.label = '"' + ShardingLabels.shard(ring) + "\":\"";
		this.consumer = consumer;
		this.requests = new ApiRequests(client);
		this.request = ApiRequest.of("GET", path)
			.query("watch", "1")
			.query("allowWatchBookmarks", "true")
			.query("labelSelector", selector)
			.query("timeoutSeconds", Long.toString(SILENCE.toSeconds()))
			.accept(MediaTypes.METADATA);
		this.version = between(
				this.requests.call(ApiRequest.of("GET", path).query("limit", "1").accept(MediaTypes.METADATA_LIST))
					.text(),
				VERSION);
		this.stream = open(this.requests, this.request, this.version);
		Thread thread = new Thread(this::read, "watch " + path);
		thread.setDaemon(true);
		thread.start();
	}

	private static ApiStream open(ApiRequests requests, ApiRequest request, String version) {
		return requests.open(request.query("resourceVersion", version)).orTimeout(1, TimeUnit.MINUTES).join();
	}

	/** Throws if not all events will come. */
	void check() {
		if (this.broken != null) {
			throw new IllegalStateException("A watch of the benchmark ended: " + this.broken);
		}
	}

	/* An API server closes a watch that is slow for a moment, as on a busy machine. */
	private void read() {
		try {
			while (!this.closed) {
				for (byte[] line = this.stream.nextLine(SILENCE); line != null; line = this.stream.nextLine(SILENCE)) {
					seen(new String(line, StandardCharsets.UTF_8));
				}
				this.stream = open(this.requests, this.request, this.version);
			}
		}
		catch (InterruptedException | RuntimeException ex) {
			this.broken = this.closed ? null : ex.toString();
		}
	}

	private void seen(String line) {
		String type = between(line, "\"type\":\"");
		if ("ERROR".equals(type)) {
			throw new IllegalStateException(line);
		}
		String seen = between(line, VERSION);
		if (!"BOOKMARK".equals(type)) {
			this.consumer.accept(new Event(type, between(line, "\"name\":\""), between(line, "\"uid\":\""), seen,
					between(line, this.label)));
		}
		this.version = seen;
	}

	/** What is between the mark and the next quotation mark; empty without the mark. */
	static String between(String text, String mark) {
		int at = text.indexOf(mark);
		return (at < 0) ? "" : text.substring(at + mark.length(), text.indexOf('"', at + mark.length()));
	}

	@Override
	public void close() {
		this.closed = true;
		this.stream.close();
	}

	/**
	 * @param type ADDED, MODIFIED or DELETED
	 * @param shard of its shard label, empty without one
	 */
	record Event(String type, String name, String uid, String version, String shard) {
	}

}
