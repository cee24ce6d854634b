package dev.sharding.test;

/**
 * Starts threads that do not keep the JVM alive.
 */
final class Daemons {

	private Daemons() {
	}

	static void start(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

}
