package dev.sharding.benchmarks.scale;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.sharding.core.ShardingLabels;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiStream;
import dev.sharding.kubernetes.rest.MediaTypes;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Watches the metadata of objects from now on and reads no more of them than it must, so
 * that whoever measures takes little CPU time from what is measured.
 */
final class MetadataWatch implements AutoCloseable {

	private static final Duration SILENCE = Duration.ofHours(3);

	private final ApiStream stream;

	private final String label;

	private final Consumer<Event> consumer;

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
		ApiRequests requests = new ApiRequests(client);
		String list = requests.call(ApiRequest.of("GET", path).query("limit", "1").accept(MediaTypes.METADATA_LIST))
			.text();
		this.stream = requests
			.open(ApiRequest.of("GET", path)
				.query("watch", "1")
				.query("resourceVersion", between(list, "\"resourceVersion\":\""))
				.query("labelSelector", selector)
				.query("timeoutSeconds", Long.toString(SILENCE.toSeconds()))
				.accept(MediaTypes.METADATA))
			.orTimeout(1, TimeUnit.MINUTES)
			.join();
		Thread thread = new Thread(this::read, "watch " + path);
		thread.setDaemon(true);
		thread.start();
	}

	/** Throws if not all events will come. */
	void check() {
		if (this.broken != null) {
			throw new IllegalStateException("A watch of the benchmark ended: " + this.broken);
		}
	}

	private void read() {
		try {
			for (byte[] line = this.stream.nextLine(SILENCE); line != null; line = this.stream.nextLine(SILENCE)) {
				this.consumer.accept(event(new String(line, StandardCharsets.UTF_8)));
			}
			this.broken = "its time is over";
		}
		catch (InterruptedException | RuntimeException ex) {
			this.broken = ex.toString();
		}
		if (this.closed) {
			this.broken = null;
		}
	}

	private Event event(String line) {
		String type = between(line, "\"type\":\"");
		if ("ERROR".equals(type)) {
			throw new ApiException(0, "", null, line, null);
		}
		return new Event(type, between(line, "\"name\":\""), between(line, "\"uid\":\""),
				between(line, "\"resourceVersion\":\""), between(line, this.label));
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
