package dev.sharding.internal.core.overlay;

import org.jspecify.annotations.Nullable;

/**
 * An own write from its sending until its echo has passed.
 */
final class Flight<K, T> {

	final long id;

	final OwnWrite<K, T> write;

	final long sentAt;

	/** Key, version and uid of the answer; {@code null} while there is none. */
	private @Nullable K key;

	private @Nullable String version;

	private @Nullable String uid;

	private boolean echoPassed;

	Flight(long id, OwnWrite<K, T> write, long sentAt) {
		this.id = id;
		this.write = write;
		this.sentAt = sentAt;
	}

	void returned(K key, String version, String uid) {
		this.key = key;
		this.version = version;
		this.uid = uid;
	}

	@Nullable K key() {
		return this.key;
	}

	@Nullable String version() {
		return this.version;
	}

	@Nullable String uid() {
		return this.uid;
	}

	boolean inFlight() {
		return this.version == null;
	}

	boolean echoPassed() {
		return this.echoPassed;
	}

	void passEcho() {
		this.echoPassed = true;
	}

}
