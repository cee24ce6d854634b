package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.wire.MetadataSummary;
import dev.sharding.internal.kubernetes.informer.wire.SummaryReader;
import dev.sharding.internal.kubernetes.informer.wire.WatchFrame;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * One open watch of metadata whose events go to one thread that asks for them. Keeps no
 * object: whoever needs to know what was there before uses an {@link Informer}.
 */
public final class MetadataWatch implements AutoCloseable {

	private final ApiStream stream;

	private final KubernetesSerialization serialization;

	private final List<String> labels;

	private MetadataWatch(ApiStream stream, KubernetesSerialization serialization, List<String> labels) {
		this.stream = stream;
		this.serialization = serialization;
		this.labels = labels;
	}

	/**
	 * Opens a watch.
	 * @param requests sends the request
	 * @param request a watch of metadata, as JSON
	 * @param serialization reads why a watch fails
	 * @param labels the labels that are read
	 * @return the watch, which the caller must close, or an {@link ApiException}
	 */
	public static CompletableFuture<MetadataWatch> open(ApiRequests requests, ApiRequest request,
			KubernetesSerialization serialization, List<String> labels) {
		CompletableFuture<ApiStream> opening = requests.open(request);
		CompletableFuture<MetadataWatch> watch = opening
			.thenApply((stream) -> new MetadataWatch(stream, serialization, labels));
		watch.whenComplete((opened, failure) -> {
			if (opened == null && !opening.cancel(true)) {
				// Whoever asked gave up just when it came.
				opening.thenAccept(ApiStream::close);
			}
		});
		return watch;
	}

	/**
	 * Waits for the next event.
	 * @param silence how long nothing at all may arrive
	 * @return the event, or {@code null} if the watch has ended
	 * @throws ApiException if it was cut or closed, or the API server said that it cannot
	 * go on, such as with status 410
	 * @throws InterruptedException if the thread was interrupted
	 */
	public @Nullable Event next(Duration silence) throws InterruptedException {
		WatchFrame frame = WatchReader.next(this.stream, silence, this.serialization);
		if (frame == null) {
			return null;
		}
		Kind kind = switch (frame.type()) {
			case DELETED -> Kind.LEFT;
			case BOOKMARK -> Kind.BOOKMARK;
			case MODIFIED -> Kind.CHANGED;
			default -> Kind.APPEARED;
		};
		return new Event(kind, SummaryReader.read(frame.object(), this.labels));
	}

	@Override
	public void close() {
		this.stream.close();
	}

	/**
	 * What a watch tells.
	 *
	 * @param kind what happened
	 * @param object the object; of a bookmark only its version
	 */
	public record Event(Kind kind, MetadataSummary object) {
	}

	/**
	 * What happened.
	 */
	public enum Kind {

		/** An object matches that did not match before, or was not there. */
		APPEARED,

		/** An object matches that did so before; in between it never ceased to. */
		CHANGED,

		/** An object does not match any more, or is gone. */
		LEFT,

		/** The watch is at a version. */
		BOOKMARK

	}

}
