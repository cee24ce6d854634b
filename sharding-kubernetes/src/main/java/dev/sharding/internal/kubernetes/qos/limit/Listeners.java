package dev.sharding.internal.kubernetes.qos.limit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells those who listen to limits. What goes wrong with them is not the request's
 * matter, and no permit may be lost for it.
 */
public final class Listeners {

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	private Listeners() {
	}

	/** Runs code of others; not with a lock held that a change of rules needs. */
	public static void tell(Runnable news) {
		try {
			news.run();
		}
		catch (Throwable ex) {
			logger.warn("A listener to a QoS limit failed", ex);
		}
	}

}
