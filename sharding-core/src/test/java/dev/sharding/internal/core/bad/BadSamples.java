package dev.sharding.internal.core.bad;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;

import tools.jackson.databind.json.JsonMapper;

/**
 * One class for each thing that the core must not do.
 */
public final class BadSamples {

	private BadSamples() {
	}

	public static final class ReadsFile {

		String read() throws IOException {
			return Files.readString(Path.of("lease"));
		}

	}

	public static final class OpensSocket {

		void open() throws IOException {
			new Socket().close();
		}

	}

	public static final class TakesLock {

		boolean isFree() {
			return new ReentrantLock().tryLock();
		}

	}

	public static final class Logs {

		void log() {
			Logger.getLogger("core").info("renewed");
		}

	}

	public static final class UsesFramework {

		Object framework() {
			return new JsonMapper();
		}

	}

	public static final class StartsThread {

		void start() {
			new Thread(() -> {
			}).start();
		}

	}

	public static final class KeepsThreadLocal {

		static final ThreadLocal<byte[]> BUFFER = new ThreadLocal<>();

	}

	public static final class ReadsWallClock {

		boolean isPast(Instant time) {
			return time.isBefore(Instant.now());
		}

	}

	public static final class ReadsDate {

		LocalDate today() {
			return LocalDate.now();
		}

	}

	public static final class ReadsMonotonicClock {

		long nanos() {
			return System.nanoTime();
		}

	}

	public static final class KeepsClock {

		Clock clock;

	}

	public static final class ReadsEnvironment {

		String home() {
			return System.getenv("HOME");
		}

	}

	public static final class DrawsNumber {

		double jitter() {
			return Math.random();
		}

	}

	public static final class DrawsId {

		UUID id() {
			return UUID.randomUUID();
		}

	}

}
