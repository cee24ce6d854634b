package dev.sharding.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.sharding.test.TcpProxy.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One connection through a proxy: a thread for each direction.
 */
final class ProxiedConnection {

	private static final int CHUNK = 8 * 1024;

	private final Socket client;

	private final Link link;

	private final Consumer<ProxiedConnection> onClose;

	private volatile @Nullable Socket server;

	private volatile boolean closed;

	private volatile boolean lostBytes;

	ProxiedConnection(Socket client, Link link, Consumer<ProxiedConnection> onClose) {
		this.client = client;
		this.link = link;
		this.onClose = onClose;
	}

	boolean hasLostBytes() {
		return this.lostBytes;
	}

	/** Connects to the server and carries bytes until one side ends. */
	void run(int port) {
		try {
			Socket opened = new Socket(InetAddress.getLoopbackAddress(), port);
			this.server = opened;
			// Small packets pass at once: the delays are ours.
			opened.setTcpNoDelay(true);
			this.client.setTcpNoDelay(true);
			if (this.closed) {
				opened.close();
			}
			Daemons.start(Thread.currentThread().getName() + "-responses",
					() -> carry(opened, this.client, LinkRules::responses));
			carry(this.client, opened, LinkRules::requests);
		}
		catch (IOException ex) {
			close();
		}
	}

	private void carry(Socket from, Socket to, Function<LinkRules, Flow> direction) {
		try {
			copy(from, to, direction);
			// A silent link does not tell either that one side went away.
			this.link.awaitPassage(direction, () -> this.closed);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			close();
		}
	}

	private void copy(Socket from, Socket to, Function<LinkRules, Flow> direction) throws InterruptedException {
		try {
			InputStream in = from.getInputStream();
			OutputStream out = to.getOutputStream();
			byte[] chunk = new byte[CHUNK];
			for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
				this.link.awaitTransfer(length, () -> this.closed);
				Flow flow = this.link.awaitFlow(direction, () -> this.closed);
				if (flow == Flow.PASSED) {
					out.write(chunk, 0, length);
				}
				else {
					this.lostBytes = true;
				}
			}
		}
		catch (IOException ex) {
			// One side is gone, so the other one goes too.
		}
	}

	void close() {
		this.closed = true;
		close(this.client);
		Socket opened = this.server;
		if (opened != null) {
			close(opened);
		}
		this.onClose.accept(this);
		this.link.wake();
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed as far as we are concerned.
		}
	}

}
