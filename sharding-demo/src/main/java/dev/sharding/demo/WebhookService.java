package dev.sharding.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.test.Ports;
import dev.sharding.test.TcpProxy;

/**
 * The Service of the webhook: the API server's connections go in turn to the sharders
 * that are ready.
 */
public final class WebhookService implements AutoCloseable {

	private final Map<String, Integer> ports = new ConcurrentHashMap<>();

	private final Map<String, Integer> endpoints = new ConcurrentHashMap<>();

	private final AtomicInteger turn = new AtomicInteger();

	private final TcpProxy network = TcpProxy.toService(this::next);

	/** Has a sharder serve the webhook, too. */
	public Role serving(Role sharder) {
		int port = Ports.next();
		this.ports.put(sharder.name(), port);
		return sharder.with("SHARDING_SHARDER_MODE", "both")
			.with("SHARDING_SHARDER_WEBHOOK_BINDADDRESS", "127.0.0.1")
			.with("SHARDING_SHARDER_WEBHOOK_PORT", String.valueOf(port))
			.with("SHARDING_SHARDER_WEBHOOK_URL", "https://127.0.0.1:" + this.network.port());
	}

	/** The sharder is up. */
	public void ready(String sharder) {
		Integer port = this.ports.get(sharder);
		if (port != null) {
			this.endpoints.put(sharder, port);
		}
	}

	/** The sharder gets no new connections any more. */
	public void gone(String sharder) {
		this.ports.remove(sharder);
		this.endpoints.remove(sharder);
	}

	/** What lies between the API server and all of them. */
	public TcpProxy network() {
		return this.network;
	}

	private int next() {
		List<Integer> now = new ArrayList<>(this.endpoints.values());
		return now.isEmpty() ? 0 : now.get(Math.floorMod(this.turn.getAndIncrement(), now.size()));
	}

	@Override
	public void close() {
		this.network.close();
	}

}
