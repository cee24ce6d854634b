package dev.sharding.internal.kubernetes.reconcile.queue;

/**
 * What a work queue reports about itself. Called under the queue's lock: return at once.
 */
public interface QueueMetrics {

	QueueMetrics NONE = new QueueMetrics() {
	};

	/** A key was added, whether or not it already waited. */
	default void added() {
	}

	/** A key was given out after it had waited for {@code waitedNanos}. */
	default void taken(long waitedNanos) {
	}

	/** The work on a key ended after {@code workedNanos}. */
	default void worked(long workedNanos) {
	}

	/** The work on a key failed and will be tried again. */
	default void retried() {
	}

}
