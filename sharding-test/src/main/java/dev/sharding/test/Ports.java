package dev.sharding.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Hands out ports on loopback that are free now. They lie below the range from which
 * operating systems take the local ports of outgoing connections: while a server is down,
 * a client that reconnects must not occupy the server's port (or even connect to itself).
 * No two JVMs of a user are given the same one while both live: a port is free before its
 * server listens, and again while that restarts.
 */
public final class Ports {

	private static final int LOWEST = 20_000;

	private static final int HIGHEST = 32_000;

	private static final int ATTEMPTS = 1_000;

	/* Each is handed out once per JVM. */
	private static final Set<Integer> HANDED_OUT = ConcurrentHashMap.newKeySet();

	/*
	 * Locks on its bytes, one a port, last as long as the JVM. Where the folder for
	 * temporary files has no room or no locks, other JVMs are not considered.
	 */
	private static final @Nullable FileChannel RESERVED = open();

	private Ports() {
	}

	private static @Nullable FileChannel open() {
		Path file = Path.of(System.getProperty("java.io.tmpdir"),
				"sharding-test-ports-" + System.getProperty("user.name"));
		try {
			return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			return null;
		}
	}

	/**
	 * Finds a port.
	 * @return one that neither this JVM nor another living one of this user was given
	 * @throws IllegalStateException if none is free
	 */
	public static int next() {
		return next(() -> ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST));
	}

	static int next(IntSupplier candidates) {
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			int port = candidates.getAsInt();
			if (isFree(port) && HANDED_OUT.add(port) && reserve(port)) {
				return port;
			}
		}
		throw new IllegalStateException("No free port on loopback after " + ATTEMPTS + " attempts");
	}

	private static boolean reserve(int port) {
		try {
			return RESERVED == null || RESERVED.tryLock(port, 1, false) != null;
		}
		catch (OverlappingFileLockException ex) {
			// This JVM was given it too, by the same class from another loader.
			return false;
		}
		catch (IOException ex) {
			return true;
		}
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
