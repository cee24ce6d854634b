package dev.sharding.autoconfigure;

/**
 * Stops one part of the application while the context stops others: a stop may take as
 * long as a reconcile, and the context asks one part after the other.
 */
final class BackgroundStop {

	private BackgroundStop() {
	}

	/**
	 * Stops on a thread of its own. Returns at once.
	 * @param name the name of the thread
	 * @param stop what to do
	 * @param callback what the context wants to be called when it is done, however it
	 * ended
	 */
	static void begin(String name, Runnable stop, Runnable callback) {
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
