package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;

import dev.sharding.client.ApiException;
import dev.sharding.client.RetryAfter;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.internal.kubernetes.informer.wire.JsonSlice;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.informer.wire.WatchFrame;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of an open watch into a part of a store.
 *
 * @param <T> the class of the objects
 */
final class WatchReader<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	/** The status of a line that is no event; no server sends it. */
	static final int UNREADABLE = 499;

	private final String name;

	private final KubernetesSerialization serialization;

	private final ObjectDecoder<T> decoder;

	private final StorePart<T> part;

	WatchReader(String name, KubernetesSerialization serialization, ObjectDecoder<T> decoder, StorePart<T> part) {
		this.name = name;
		this.serialization = serialization;
		this.decoder = decoder;
		this.part = part;
	}

	/**
	 * Gathers the initial events of a streamed list up to their end mark.
	 * @param stream the open watch
	 * @param silence how long nothing may arrive
	 * @return the scope as it was
	 * @throws ApiException if the watch ends before the mark
	 */
	ListResult<T> collect(ApiStream stream, Duration silence) throws InterruptedException {
		ListResult<T> listed = ListResult.empty();
		while (true) {
			WatchFrame frame = next(stream, silence, this.serialization);
			if (frame == null) {
				throw new ApiException(0, "", null, "Watch ended within its initial events", null);
			}
			if (frame.type() == WatchFrame.Type.BOOKMARK) {
				if (frame.endsInitialEvents()) {
					return listed.at(ObjectFacts.read(frame.object()).version());
				}
			}
			else if (frame.type() == WatchFrame.Type.DELETED) {
				listed.remove(ObjectFacts.read(frame.object()).key());
			}
			else {
				add(listed, frame.object());
			}
		}
	}

	/**
	 * Adds an object to a list: as this process has it, if in this very state, else
	 * parsed.
	 */
	void add(ListResult<T> listed, JsonSlice object) {
		T known = this.part.known(ObjectFacts.read(object));
		if (known != null) {
			listed.add(known);
			return;
		}
		try {
			listed.add(this.decoder.decode(object));
		}
		catch (UndecodableException ex) {
			report(ex);
			listed.skip(ex.metadata());
		}
	}

	/**
	 * Stores the next event.
	 * @param stream the open watch
	 * @param silence how long nothing may arrive
	 * @return {@code false} if the watch ended instead
	 * @throws ApiException if it ended with an error event or was cut
	 */
	boolean store(ApiStream stream, Duration silence) throws InterruptedException {
		WatchFrame frame = next(stream, silence, this.serialization);
		if (frame == null) {
			return false;
		}
		if (frame.type() == WatchFrame.Type.BOOKMARK) {
			this.part.bookmark(ObjectFacts.read(frame.object()).version());
		}
		else {
			store(frame.object(), frame.type() == WatchFrame.Type.DELETED);
		}
		return true;
	}

	/**
	 * Stores what became of an object. The removal of one that left the scope shows the
	 * state before, under the version of the write that took it away, so it is nobody's
	 * answer.
	 */
	void store(JsonSlice slice, boolean deleted) {
		try {
			T known = (!deleted && this.part.hasAnswers()) ? this.part.known(ObjectFacts.read(slice)) : null;
			T object = (known != null) ? known : this.decoder.decode(slice);
			if (deleted) {
				this.part.remove(object);
			}
			else {
				this.part.put(object);
			}
		}
		catch (UndecodableException ex) {
			report(ex);
			this.part.skip(ex.metadata(), deleted);
		}
	}

	/**
	 * Reads the next frame of an open watch.
	 * @return {@code null} if the watch ended instead
	 * @throws ApiException if it ended with an error event or was cut
	 */
	static @Nullable WatchFrame next(ApiStream stream, Duration silence, KubernetesSerialization serialization)
			throws InterruptedException {
		byte[] line = stream.nextLine(silence);
		if (line == null) {
			return null;
		}
		WatchFrame frame;
		try {
			frame = WatchFrame.of(line);
		}
		catch (IllegalArgumentException ex) {
			// Nobody knows which object it was about, so the scope must be listed anew.
			throw new ApiException(UNREADABLE, "", null,
					"Watch sent a line that is no event (%d bytes)".formatted(line.length), ex);
		}
		if (frame.type() == WatchFrame.Type.ERROR) {
			throw error(frame, serialization);
		}
		return frame;
	}

	private static ApiException error(WatchFrame frame, KubernetesSerialization serialization) {
		Status status = serialization.unmarshal(frame.object().stream(), Status.class);
		int code = (status.getCode() != null) ? status.getCode() : 500;
		String reason = (status.getReason() != null) ? status.getReason() : "";
		Integer seconds = (status.getDetails() != null) ? status.getDetails().getRetryAfterSeconds() : null;
		return new ApiException(code, reason, (seconds != null) ? RetryAfter.ofSeconds(seconds) : null,
				"Watch failed: %d %s (%s)".formatted(code, reason, status.getMessage()), null);
	}

	private void report(UndecodableException ex) {
		logger.warn("Object is left out: informer={} reason=\"{}\"", this.name, ex.getMessage());
	}

}
