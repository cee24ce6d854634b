package dev.sharding.demo.chaos;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import dev.sharding.test.TcpProxy;

/**
 * All that a process reaches the API server by.
 *
 * @param link what it renews its Lease and writes by, and a sharder does all by
 * @param reads what a shard lists and watches by, the same for a sharder
 */
record Network(TcpProxy link, TcpProxy reads) {

	/** Cuts all connections, and each new one. */
	void refuse() {
		each(TcpProxy::refuse);
	}

	/** Swallows everything; connections stay open. */
	void blackHole() {
		each(TcpProxy::blackHole);
	}

	void delay(Duration delay) {
		each((proxy) -> proxy.delay(delay));
	}

	void throttle(long bytesPerSecond) {
		each((proxy) -> proxy.throttle(bytesPerSecond));
	}

	/** Holds everything back. */
	void pause() {
		each(TcpProxy::pause);
	}

	void heal() {
		each(TcpProxy::heal);
	}

	void close() {
		each(TcpProxy::close);
	}

	private void each(Consumer<TcpProxy> what) {
		List.of(this.link, this.reads).stream().distinct().forEach(what);
	}

}
