package dev.sharding.internal.sharder.app.management;

/**
 * Stops something elsewhere, so that Spring's time-out bounds how long it is waited for.
 */
public final class StopThread {

	private StopThread() {
	}

	public static void run(String name, Runnable stop, Runnable callback) {
		new Thread(() -> {
			try {
				stop.run();
			}
			finally {
				callback.run();
			}
		}, name).start();
	}

}
