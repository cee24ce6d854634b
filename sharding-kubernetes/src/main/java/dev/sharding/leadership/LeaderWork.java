package dev.sharding.leadership;

/**
 * Work that a leader has begun and not ended, see {@link LeaderElection#begin()}.
 */
public interface LeaderWork extends AutoCloseable {

	/** The work has ended. To be called on the thread that began it. */
	@Override
	void close();

}
