package dev.sharding.internal.sharder.http;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.vertx.core.http.HttpConnection;
import org.jspecify.annotations.Nullable;

/**
 * Which connections of a listener wait for nothing, and since when. Safe for use by many
 * threads.
 */
final class IdleConnections {

	/* The one that is idle longest first. */
	private final Set<HttpConnection> idle = new LinkedHashSet<>();

	/* How many requests are without a whole answer. */
	private final Map<HttpConnection, Integer> busy = new HashMap<>();

	synchronized void opened(HttpConnection connection) {
		this.idle.add(connection);
	}

	synchronized void asked(HttpConnection connection) {
		if (this.idle.remove(connection) || this.busy.containsKey(connection)) {
			this.busy.merge(connection, 1, Integer::sum);
		}
	}

	synchronized void answered(HttpConnection connection) {
		Integer requests = this.busy.get(connection);
		if (requests != null && requests > 1) {
			this.busy.put(connection, requests - 1);
		}
		else if (requests != null) {
			this.busy.remove(connection);
			this.idle.add(connection);
		}
	}

	/** Returns whether it was known until now. */
	synchronized boolean closed(HttpConnection connection) {
		return this.idle.remove(connection) | this.busy.remove(connection) != null;
	}

	/** Forgets the one that is idle longest, which gives its place to another. */
	synchronized @Nullable HttpConnection giveWay() {
		Iterator<HttpConnection> connections = this.idle.iterator();
		if (!connections.hasNext()) {
			return null;
		}
		HttpConnection longest = connections.next();
		connections.remove();
		return longest;
	}

}
