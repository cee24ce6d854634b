package dev.sharding.leadership;

import java.util.Optional;

import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Elects the one process among several that acts: as the leader, from when it holds a
 * Lease until it can no longer prove that. Beside {@link #isLeader()}, which is enough to
 * decide whether to begin, there is what keeps a former leader from acting late: work
 * that is {@linkplain #begin() begun} here is waited for before the Lease is given back,
 * its writes through our caches end with its term, and {@link #requireLeader()} guards
 * what else it writes. A term begins in this process only when all work of the one before
 * has ended. Safe for use by many threads.
 */
public interface LeaderElection {

	/**
	 * Tells whether this process is the leader and may begin something, or go on with a
	 * loop. It is no longer when the Lease is lost, and when the application begins to
	 * stop. Needs no answer of the API server.
	 * @return whether it may
	 */
	boolean isLeader();

	/**
	 * Passes if this thread may send a write at this moment, to wherever it goes: if this
	 * process is the leader, and can prove that for longer than a write takes. To be
	 * asked right before each write. In work of the leader it passes up to the end of its
	 * term, also while the application stops.
	 * @throws NotLeaderException if it may not; another process may be the leader by now
	 */
	void requireLeader();

	/**
	 * Begins work of the leader, which ends when the result is closed, on the same
	 * thread. Within such work more of it can begin.
	 * @return the work, empty if this process is not the leader
	 */
	Optional<LeaderWork> begin();

	/**
	 * Runs something if this process is the leader.
	 * @param work what to run, on this thread
	 * @return whether it has run
	 */
	default boolean run(Runnable work) {
		Optional<LeaderWork> begun = begin();
		if (begun.isEmpty()) {
			return false;
		}
		try (LeaderWork running = begun.get()) {
			work.run();
		}
		return true;
	}

	/**
	 * Returns a client whose writes are sent only while the Lease can be proved, and in
	 * work of the leader only up to the end of its term; what is refused fails with a
	 * {@link dev.sharding.shard.WriteFencedException}, as it is or as the cause of what
	 * the client throws. Whether a thread works as the leader is known on the thread that
	 * began the work.
	 * @param client gives connections and credentials; must outlive the result, which is
	 * not to be closed
	 * @return the client; {@code client} itself where every process is a leader
	 */
	default KubernetesClient fenced(KubernetesClient client) {
		return client;
	}

	/**
	 * Adds a listener.
	 * @param listener hears of the terms of this process that begin from now on
	 */
	void addListener(LeadershipListener listener);

}
