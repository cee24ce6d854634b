package dev.sharding.internal.kubernetes;

import org.jetbrains.lincheck.Lincheck;
import org.jetbrains.lincheck.LincheckAssertionError;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Plays a scene of a few threads in many orders of their steps: Lincheck says which
 * thread makes the next one. It tries the orders with few switches first, the same ones
 * in each run. A scene fails in an order in which a check fails or everybody waits.
 *
 * What a scene calls is instrumented, so scenes have plain checks, and no clock.
 */
public final class Interleavings {

	/** Orders of one scene: what takes about two seconds. */
	private static final int ORDERS = 200;

	/** Orders in which a planted fault has to be found. */
	private static final int ORDERS_FOR_A_FAULT = 5 * ORDERS;

	private Interleavings() {
	}

	/** Plays a scene that is to hold in each order. */
	public static void play(Runnable scene) {
		play(ORDERS, scene);
	}

	/**
	 * Plays a scene that is to hold in each order, and takes longer than others.
	 * @param orders how many are played
	 */
	public static void play(int orders, Runnable scene) {
		Lincheck.runConcurrentTest(orders, scene);
	}

	/**
	 * Plays a scene with a fault, which is to be found: else a green scene says little.
	 */
	public static void assertFaultIsFound(Runnable scene) {
		assertThatExceptionOfType(LincheckAssertionError.class)
			.isThrownBy(() -> Lincheck.runConcurrentTest(ORDERS_FOR_A_FAULT, scene))
			.withMessageContaining("The following interleaving leads to the error");
	}

	/** Runs each part of a scene on a thread of its own, until all have ended. */
	public static void together(Part... parts) {
		Throwable[] failures = new Throwable[parts.length];
		Thread[] threads = new Thread[parts.length];
		for (int i = 0; i < parts.length; i++) {
			int index = i;
			threads[i] = new Thread(() -> {
				try {
					parts[index].play();
				}
				catch (Exception | AssertionError ex) {
					failures[index] = ex;
				}
			});
		}
		for (Thread thread : threads) {
			thread.start();
		}
		for (int i = 0; i < parts.length; i++) {
			join(threads[i]);
			if (failures[i] != null) {
				throw new AssertionError("Part " + i + " failed: " + failures[i], failures[i]);
			}
		}
	}

	public static void check(boolean condition, String otherwise) {
		if (!condition) {
			throw new AssertionError(otherwise);
		}
	}

	private static void join(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** What one thread of a scene does. */
	public interface Part {

		void play() throws Exception;

	}

}
