package dev.sharding.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * The only seat of a priority level, held by a request whose body never comes. The API
 * server gives up on it after a minute; then the next one takes the seat. The request
 * waits to be told to go on, as the API server refuses one whose body is on its way only
 * once it has that. It is written to a socket, as the HTTP client of JDK 17 does not hear
 * of such a refusal either.
 */
final class HeldSeat implements AutoCloseable {

	private static final long AGAIN_MILLIS = 50;

	private static final int BYTES = 1_000;

	private final SocketFactory sockets;

	private final URI server;

	private final byte[] head;

	private final CountDownLatch closed = new CountDownLatch(1);

	private volatile @Nullable Socket socket;

	/**
	 * Takes the seat, soon.
	 * @param holder who may create ConfigMaps, and whose requests are of the priority
	 * level
	 */
	HeldSeat(Access holder) {
		this.sockets = holder.jdkClient().sslContext().getSocketFactory();
		this.server = URI.create(holder.config().getMasterUrl());
		this.head = String
			.join("\r\n", "POST /api/v1/namespaces/default/configmaps HTTP/1.1", "Host: " + this.server.getAuthority(),
					"Authorization: Bearer " + holder.config().getOauthToken(), "Content-Type: application/json",
					"Content-Length: " + BYTES, "Expect: 100-continue", "", "")
			.getBytes(StandardCharsets.US_ASCII);
		Thread thread = new Thread(this::hold, "held-seat");
		thread.setDaemon(true);
		thread.start();
	}

	private void hold() {
		try {
			do {
				request();
			}
			while (!this.closed.await(AGAIN_MILLIS, TimeUnit.MILLISECONDS));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Returns when the API server refuses the request or gives up on it. */
	private void request() {
		try (Socket connection = this.sockets.createSocket(this.server.getHost(), this.server.getPort())) {
			this.socket = connection;
			if (this.closed.getCount() > 0) {
				connection.getOutputStream().write(this.head);
				awaitEnd(new BufferedReader(
						new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII)));
			}
		}
		catch (IOException ex) {
			// Once more, unless it was closed.
		}
	}

	/** As long as there is nothing but the word to go on, it has the seat. */
	private static void awaitEnd(BufferedReader answer) throws IOException {
		String line = answer.readLine();
		while (line != null && (line.isEmpty() || line.startsWith("HTTP/1.1 100"))) {
			line = answer.readLine();
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		Socket connection = this.socket;
		if (connection != null) {
			try {
				connection.close();
			}
			catch (IOException ex) {
				// It is of no use any more anyway.
			}
		}
	}

}
