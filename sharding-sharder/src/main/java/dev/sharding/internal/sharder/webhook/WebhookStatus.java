package dev.sharding.internal.sharder.webhook;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * How the webhook of this replica fares.
 *
 * @param port the port that it listens on, -1 if it does not
 * @param ringsKnown whether rings and Leases are known
 * @param problem what keeps it from serving as it should, or {@code null}
 * @param configurations the configurations that cannot be written, with the reason, by
 * the name of the ring; empty where this process is not the leader
 */
public record WebhookStatus(int port, boolean ringsKnown, @Nullable String problem,
		SortedMap<String, String> configurations) {

	public WebhookStatus {
		configurations = Collections.unmodifiableSortedMap(new TreeMap<>(configurations));
	}

	/**
	 * Tells whether the API server may be sent here.
	 * @return {@code true} if reviews are answered
	 */
	public boolean isServing() {
		return this.port > 0 && this.ringsKnown;
	}

}
