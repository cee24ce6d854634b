package dev.sharding.test;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Reads what is logged, here and by other processes, for the line that tells of a
 * mismatch: so a library that reports needs nothing that is there for tests.
 */
final class MismatchWatch {

	static final String ENABLED = "sharding.test.halt-on-mismatch";

	private static final String MISMATCH = "Cache differs from the API server";

	private static final String COMPARES = "-Dsharding.cache.check-millis=";

	private static final int HALTED = 70;

	private static final long POLL_MILLIS = 200;

	private static @Nullable PrintStream out;

	private static @Nullable PrintStream err;

	private MismatchWatch() {
	}

	/** Watches the output of this JVM from now on. */
	static synchronized void begin() {
		if (!Boolean.getBoolean(ENABLED)) {
			return;
		}
		if (System.out != out) {
			PrintStream watched = watched(System.out);
			out = watched;
			System.setOut(watched);
		}
		if (System.err != err) {
			PrintStream watched = watched(System.err);
			err = watched;
			System.setErr(watched);
		}
	}

	private static PrintStream watched(PrintStream target) {
		return new PrintStream(new FilterOutputStream(target) {

			@Override
			public void write(byte[] bytes, int offset, int length) throws IOException {
				this.out.write(bytes, offset, length);
				judge(new String(bytes, offset, length, StandardCharsets.UTF_8));
			}

		}, true);
	}

	/* One event of a log comes as a whole. A test that plans a mismatch turns it off. */
	private static void judge(String text) {
		if (text.contains(MISMATCH) && Boolean.getBoolean(ENABLED)) {
			// What is on its way to Maven would be lost.
			try (OutputStream raw = new FileOutputStream(FileDescriptor.err)) {
				raw.write((text + System.lineSeparator() + "Ending the run of tests, as " + ENABLED + " says"
						+ System.lineSeparator())
					.getBytes(StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				// The status tells.
			}
			Runtime.getRuntime().halt(HALTED);
		}
	}

	/** Whether what a command starts has its caches compared, and this JVM shall know. */
	static boolean concerns(Iterable<String> command) {
		for (String argument : command) {
			if (argument.startsWith(COMPARES)) {
				return Boolean.getBoolean(ENABLED);
			}
		}
		return false;
	}

	/**
	 * Reads the log of another process until that has ended.
	 * @param from how many bytes of the log are not of this process
	 */
	static void follow(Path log, long from, BooleanSupplier runs) {
		Daemons.start("mismatch-watch", () -> {
			try (InputStream stream = Files.newInputStream(log)) {
				stream.skipNBytes(from);
				String rest = "";
				for (boolean last = false; !last;) {
					last = !runs.getAsBoolean();
					String text = rest + new String(stream.readAllBytes(), StandardCharsets.UTF_8);
					if (text.contains(MISMATCH)) {
						judge(log + ": " + LogTail.of(log, 20));
						return;
					}
					rest = text.substring(Math.max(0, text.length() - MISMATCH.length()));
					TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
				}
			}
			catch (IOException ex) {
				judge(MISMATCH + " or not: " + log + " cannot be read: " + ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
	}

}
