package dev.sharding.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/**
 * Hands out ports on loopback that are free now. They lie below the range from which
 * operating systems take the local ports of outgoing connections: while a server is down,
 * a client that reconnects must not occupy the server's port (or even connect to itself).
 */
public final class Ports {

	private static final int LOWEST = 20_000;

	private static final int HIGHEST = 32_000;

	private static final int ATTEMPTS = 1_000;

	/*
	 * Each is handed out once per JVM: it may be free now only because its server
	 * restarts.
	 */
	private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

	private Ports() {
	}

	/**
	 * Finds a port.
	 * @return one that this JVM has not been given before
	 * @throws IllegalStateException if none is free
	 */
	public static int next() {
		return next(() -> ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST));
	}

	static int next(IntSupplier candidates) {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			int port = candidates.getAsInt();
			if (isFree(port) && HANDED_OUT.add(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port on loopback after " + ATTEMPTS + " attempts");
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
