package dev.sharding.test;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * A bad network between a client and a server on loopback: slow, narrow, silent, lossy or
 * cut. Use it with {@link Access#through(TcpProxy)}. Its methods hold for open and for
 * new connections, and can be called from any thread.
 */
public final class TcpProxy implements AutoCloseable {

	private static final int ATTEMPTS = 5;

	private final IntSupplier target;

	private final ServerSocket listener;

	private final Link link = new Link();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private TcpProxy(IntSupplier target, ServerSocket listener) {
		this.target = target;
		this.listener = listener;
	}

	/**
	 * Opens a proxy that lets everything through.
	 * @param apiServer where connections go
	 * @return the proxy; close it
	 */
	public static TcpProxy to(ApiServer apiServer) {
		return to(apiServer.port());
	}

	/**
	 * Opens a proxy that lets everything through.
	 * @param port the port on loopback where connections go
	 * @return the proxy; close it
	 */
	public static TcpProxy to(int port) {
		return toService(() -> port);
	}

	/**
	 * Opens a proxy that lets everything through, to what is an endpoint at the moment: a
	 * Service of a cluster.
	 * @param endpoint asked at each connection, by any thread, for the port on loopback
	 * where it goes; 0 for nowhere, which closes it
	 * @return the proxy; close it
	 */
	public static TcpProxy toService(IntSupplier endpoint) {
		try {
			TcpProxy proxy = new TcpProxy(endpoint, listen());
			Daemons.start("tcp-proxy-" + proxy.port(), proxy::accept);
			return proxy;
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to open a proxy", ex);
		}
	}

	private static ServerSocket listen() throws IOException {
		for (int attempt = 1;; attempt++) {
			try {
				return new ServerSocket(Ports.next(), 64, InetAddress.getLoopbackAddress());
			}
			catch (BindException ex) {
				// Somebody was faster.
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	/** The port on loopback where it listens. */
	public int port() {
		return this.listener.getLocalPort();
	}

	/** The number of open connections. */
	public int connections() {
		return this.connections.size();
	}

	/**
	 * Delays each chunk of bytes, in both directions.
	 * @param delay for each direction, so that a round trip takes twice as long; zero for
	 * none
	 */
	public void delay(Duration delay) {
		this.link.change((rules) -> rules.withDelay(delay));
	}

	/**
	 * Limits how many bytes pass per second, in each direction of each connection.
	 * @param bytesPerSecond the limit, positive
	 */
	public void throttle(long bytesPerSecond) {
		if (bytesPerSecond <= 0) {
			throw new IllegalArgumentException("'bytesPerSecond' must be positive (is " + bytesPerSecond + ")");
		}
		this.link.change((rules) -> rules.withBytesPerSecond(bytesPerSecond));
	}

	/**
	 * Holds everything back; nothing is lost. Connections stay open: a side that closes
	 * or dies is news that is held back as well.
	 */
	public void pause() {
		this.link.change((rules) -> rules.withRequests(Flow.HELD).withResponses(Flow.HELD));
	}

	/**
	 * Holds back what the server sends: requests reach it and take effect, and their
	 * senders do not learn of it.
	 */
	public void pauseResponses() {
		this.link.change((rules) -> rules.withResponses(Flow.HELD));
	}

	/**
	 * Swallows everything, for good. Connections stay open until {@link #heal()}, also if
	 * one side closes or dies: the other one learns nothing.
	 */
	public void blackHole() {
		this.link.change((rules) -> rules.withRequests(Flow.LOST).withResponses(Flow.LOST));
	}

	/** Cuts the open connections. New ones are let through as before. */
	public void cut() {
		this.connections.forEach(ProxiedConnection::close);
	}

	/** Cuts the open connections, and each new one as soon as it is made. */
	public void refuse() {
		this.link.change((rules) -> rules.withAccepts(false));
		cut();
	}

	/**
	 * Lets everything through again, and what was held back. Connections that lost bytes
	 * are cut.
	 */
	public void heal() {
		this.link.change((rules) -> LinkRules.GOOD);
		this.connections.stream().filter(ProxiedConnection::hasLostBytes).forEach(ProxiedConnection::close);
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				if (this.link.rules().accepts()) {
					// Connecting can block (a paused server with a full backlog);
					// accepting must not.
					Daemons.start("tcp-proxy-" + port() + "-connection", () -> connect(client));
				}
				else {
					client.close();
				}
			}
			catch (IOException ex) {
				// The proxy was closed, or the client went away before it was accepted.
			}
		}
	}

	private void connect(Socket client) {
		ProxiedConnection connection = new ProxiedConnection(client, this.link, this.connections::remove);
		this.connections.add(connection);
		if (this.listener.isClosed() || !this.link.rules().accepts()) {
			// Refused or closed after it was accepted and before it could be cut.
			connection.close();
			return;
		}
		int port = this.target.getAsInt();
		if (port == 0) {
			connection.close();
			return;
		}
		connection.run(port);
	}

	/** Cuts all connections and stops listening. */
	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to close the proxy", ex);
		}
		finally {
			cut();
		}
	}

	/** What happens to bytes of one direction. */
	enum Flow {

		PASSED, HELD, LOST

	}

}
