package dev.sharding.internal.sharder.webhook;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the certificate, once it lasts. Trouble that passes sooner, as files
 * that are read amid their replacement and once more ten seconds later, is not worth two
 * changes of the status of all rings: the certificate before is served meanwhile.
 */
final class CertificateTrouble {

	static final Duration LASTING = Duration.ofSeconds(15);

	private @Nullable String problem;

	/* Since when there has been some, whatever it was. */
	private long since;

	private long now;

	/**
	 * Looks.
	 * @param found what is wrong now, or {@code null} for nothing
	 * @param nanos the monotonic clock
	 */
	void look(@Nullable String found, long nanos) {
		if (this.problem == null) {
			this.since = nanos;
		}
		this.problem = found;
		this.now = nanos;
	}

	/** There is a new certificate. */
	void end() {
		this.problem = null;
	}

	/**
	 * What is wrong.
	 * @return {@code null} if nothing is, or not for long enough
	 */
	@Nullable String lasting() {
		return (this.now - this.since >= LASTING.toNanos()) ? this.problem : null;
	}

}
