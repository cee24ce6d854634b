package dev.sharding.internal.sharder.app.management;

import java.time.Duration;

import dev.sharding.internal.sharder.http.ConnectionLimits;
import dev.sharding.internal.sharder.http.RequestLimits;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What a listener bears.
 *
 * @param connections How many connections are open at most; further ones are closed at
 * once.
 * @param handshakes How many TLS handshakes are under way at most; for a further one the
 * oldest is ended.
 * @param handshakeTimeout How long a TLS handshake may take.
 * @param idleTimeout How long a connection on which nothing is sent stays open.
 * @param headerSize The largest head of a request.
 * @param requestTimeout How long a request may take to arrive, and a new connection to
 * send one.
 */
public record LimitProperties(@DefaultValue("256") int connections, @DefaultValue("256") int handshakes,
		@DefaultValue("5s") Duration handshakeTimeout, @DefaultValue("2m") Duration idleTimeout,
		@DefaultValue("16KB") DataSize headerSize, @DefaultValue("5s") Duration requestTimeout) {

	public ConnectionLimits toConnectionLimits() {
		return new ConnectionLimits(this.connections, this.handshakes, this.handshakeTimeout, this.idleTimeout);
	}

	/**
	 * What it bears of requests.
	 * @param bodies the limits of bodies
	 */
	public RequestLimits toRequestLimits(RequestLimits bodies) {
		return new RequestLimits(Math.toIntExact(this.headerSize.toBytes()), bodies.body(), bodies.unfinished(),
				this.requestTimeout);
	}

}
