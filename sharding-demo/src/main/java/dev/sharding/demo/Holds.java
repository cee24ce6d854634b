package dev.sharding.demo;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The side of whoever plays: holds processes at points that they know of, see
 * {@code dev.sharding.demo.held}.
 */
final class Holds {

	private static final String VARIABLE = "DEMO_HOLDS";

	/* The process may have to start first. */
	private static final Duration REACHED_WITHIN = Duration.ofMinutes(4);

	private final Path folder;

	private final Marks marks;

	private final Set<String> held = new HashSet<>();

	/**
	 * @param marks is told of what is held, as nobody can expect progress there
	 */
	Holds(Path folder, Marks marks) {
		this.folder = folder;
		this.marks = marks;
	}

	/** A process that can be held. */
	Role holdable(Role role, String main) {
		return holdable(role.running(main));
	}

	/** A role of a program that can be held. */
	Role holdable(Role role) {
		return role.with(VARIABLE, this.folder.toString());
	}

	/** From now on whoever comes to that point with that object waits. */
	void hold(String point, String object) throws IOException {
		if (this.held.add(object)) {
			this.marks.disturbed(Names.NAMESPACE + "/" + object);
		}
		Files.createDirectories(this.folder);
		Files.writeString(this.folder.resolve("hold." + point + "." + object), "");
	}

	/** Returns when somebody waits there. */
	void awaitReached(String point, String object) {
		Waiting.until("somebody to come to " + point + " with " + object, REACHED_WITHIN,
				() -> isReached(point, object));
	}

	/** Returns when that shard waits there. */
	void awaitReached(String point, String object, String shard) {
		Waiting.until(shard + " to come to " + point + " with " + object, REACHED_WITHIN,
				() -> isReached(point, object + "." + shard));
	}

	private boolean isReached(String point, String object) {
		try (DirectoryStream<Path> found = Files.newDirectoryStream(this.folder,
				"reached." + point + "." + object + ".*")) {
			return found.iterator().hasNext();
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to look into " + this.folder, ex);
		}
	}

	/** Lets whoever waits at that point with that object go on. */
	void release(String point, String object) throws IOException {
		Files.deleteIfExists(this.folder.resolve("hold." + point + "." + object));
	}

	/** Lets all go on. */
	void releaseAll() throws IOException {
		letGo();
		for (String object : this.held) {
			this.marks.calm(Names.NAMESPACE + "/" + object);
		}
		this.held.clear();
	}

	/** Lets all go on, and says so only with the next release: the API server is away. */
	void letGo() throws IOException {
		if (Files.isDirectory(this.folder)) {
			try (DirectoryStream<Path> found = Files.newDirectoryStream(this.folder)) {
				for (Path file : found) {
					Files.deleteIfExists(file);
				}
			}
		}
	}

}
