package dev.sharding.demo.held;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The side of the programs: stops at a point as long as there is a file
 * {@code hold.POINT.OBJECT} in the folder {@value #FOLDER}, and says so by a file
 * {@code reached.POINT.OBJECT.SHARD.PROCESS}.
 */
public final class HoldPoints {

	/** Environment variable that names the folder; without it nothing is held. */
	static final String FOLDER = "DEMO_HOLDS";

	private static final long LOOK_EVERY_MILLIS = 5;

	private HoldPoints() {
	}

	/**
	 * Waits while that point is held for that object. An interrupt does not end it and is
	 * forgotten, as by code that does not know better.
	 * @param point where the process is
	 * @param object the name of the object that it works on
	 */
	public static void pass(String point, String object) {
		if (!isHeld(point, object)) {
			return;
		}
		String folder = System.getenv(FOLDER);
		Path hold = hold(folder, point, object);
		try {
			String shard = System.getenv().getOrDefault("SHARDING_SHARD_NAME", "");
			Path reached = Path.of(folder,
					"reached.%s.%s.%s.%d".formatted(point, object, shard, ProcessHandle.current().pid()));
			Files.writeString(reached, "");
			while (Files.exists(hold)) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_EVERY_MILLIS));
				boolean unused = Thread.interrupted();
			}
			Files.deleteIfExists(reached);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to be held at " + hold, ex);
		}
	}

	/** Tells whether that point is held for that object, and waits for nothing. */
	public static boolean isHeld(String point, String object) {
		String folder = System.getenv(FOLDER);
		return folder != null && Files.exists(hold(folder, point, object));
	}

	private static Path hold(String folder, String point, String object) {
		return Path.of(folder, "hold." + point + "." + object);
	}

}
