package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a Service is in a cluster: connections go in turn to the ports that are its
 * endpoints at the moment. Those that are open stay when an endpoint is taken out.
 */
final class ServiceStandIn implements AutoCloseable {

	private final ServerSocket listener;

	private final List<Integer> endpoints = new CopyOnWriteArrayList<>();

	private final Set<Socket> open = ConcurrentHashMap.newKeySet();

	private final AtomicInteger turn = new AtomicInteger();

	ServiceStandIn() throws IOException {
		this.listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
		start(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	void add(int port) {
		this.endpoints.add(port);
	}

	void remove(int port) {
		this.endpoints.remove((Integer) port);
	}

	/** Nobody gets through any more, and who was through is cut. */
	void fail() {
		this.endpoints.clear();
		this.open.forEach(ServiceStandIn::close);
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				start(() -> connect(client));
			}
			catch (IOException ex) {
				// It was closed.
			}
		}
	}

	private void connect(Socket client) {
		List<Integer> targets = List.copyOf(this.endpoints);
		if (targets.isEmpty()) {
			close(client);
			return;
		}
		try {
			Socket server = new Socket(InetAddress.getLoopbackAddress(),
					targets.get(Math.floorMod(this.turn.getAndIncrement(), targets.size())));
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			this.open.addAll(List.of(client, server));
			start(() -> copy(client, server));
			copy(server, client);
		}
		catch (IOException ex) {
			close(client);
		}
	}

	private void copy(Socket from, Socket to) {
		try (InputStream in = from.getInputStream(); OutputStream out = to.getOutputStream()) {
			in.transferTo(out);
		}
		catch (IOException ex) {
			// One of the two has ended.
		}
		finally {
			close(from);
			close(to);
			this.open.removeAll(List.of(from, to));
		}
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed.
		}
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "service");
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		fail();
	}

}
