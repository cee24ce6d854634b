package dev.sharding.internal.sharder.tls;

import org.jspecify.annotations.Nullable;

/**
 * Where the serving certificate comes from.
 */
public interface CertificateSource extends AutoCloseable {

	/**
	 * Starts. The listener that the source was made with is told each certificate, from
	 * now on until the source is closed.
	 */
	void start();

	/**
	 * Returns what does not work.
	 * @return the last failure, or {@code null} if the latest look was fine
	 */
	@Nullable String problem();

	@Override
	void close();

}
