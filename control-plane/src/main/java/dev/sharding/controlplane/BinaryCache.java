package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * The folder with the verified programs. A marker file in it remembers size and time of
 * each program at its verification, so that a program is run again only after it changed.
 */
final class BinaryCache {

	private static final String MARKER = "verified";

	private static final String WORK_PREFIX = ".work-";

	private final Path home;

	BinaryCache(Path home) {
		this.home = home;
	}

	Path lockFile() {
		return this.home.resolveSibling(this.home.getFileName() + ".lock");
	}

	/**
	 * The programs, if they are here and run.
	 * @return empty if they are absent, or if one of them is broken
	 */
	Optional<ControlPlaneBinaries> find() {
		try {
			if (!fingerprint(this.home).equals(readMarker())) {
				verify(this.home);
			}
			return Optional.of(ControlPlaneBinaries.in(this.home));
		}
		catch (IOException ex) {
			return Optional.empty();
		}
	}

	/** Whether something is here, working or not. */
	boolean isOccupied() {
		return Files.exists(this.home);
	}

	/**
	 * A private, empty folder next to the cache, thus on the same file system. What
	 * earlier installations left behind when they were killed is removed. Call it under
	 * the lock.
	 */
	Path createWorkFolder() throws IOException {
		try (Stream<Path> siblings = Files.list(this.home.getParent())) {
			for (Path left : siblings.filter((path) -> path.getFileName().toString().startsWith(workPrefix()))
				.toList()) {
				delete(left);
			}
		}
		return Files.createTempDirectory(this.home.getParent(), workPrefix());
	}

	private String workPrefix() {
		return WORK_PREFIX + this.home.getFileName() + "-";
	}

	/**
	 * Verifies the programs in a folder and puts the folder in the place of the cache in
	 * one step. Programs that run out of the old folder are not disturbed.
	 */
	void adopt(Path folder) throws IOException {
		verify(folder);
		if (isOccupied()) {
			Path aside = Files.createTempDirectory(this.home.getParent(), workPrefix());
			Files.move(this.home, aside.resolve("replaced"), StandardCopyOption.ATOMIC_MOVE);
			delete(aside);
		}
		Files.move(folder, this.home, StandardCopyOption.ATOMIC_MOVE);
	}

	private static void verify(Path folder) throws IOException {
		for (Program program : Program.values()) {
			program.verify(folder);
		}
		Path marker = Files.createTempFile(folder, MARKER, ".tmp");
		Files.writeString(marker, fingerprint(folder));
		Files.move(marker, folder.resolve(MARKER), StandardCopyOption.ATOMIC_MOVE);
	}

	private String readMarker() throws IOException {
		try {
			return Files.readString(this.home.resolve(MARKER));
		}
		catch (NoSuchFileException ex) {
			return "";
		}
	}

	private static String fingerprint(Path folder) throws IOException {
		StringJoiner fingerprint = new StringJoiner("\n", "", "\n");
		for (Program program : Program.values()) {
			Path file = program.in(folder);
			fingerprint
				.add(program.fileName() + " " + Files.size(file) + " " + Files.getLastModifiedTime(file).toMillis());
		}
		return fingerprint.toString();
	}

	static void delete(Path folder) throws IOException {
		if (!Files.exists(folder)) {
			return;
		}
		List<Path> deepestFirst;
		try (Stream<Path> tree = Files.walk(folder)) {
			deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
		}
		for (Path path : deepestFirst) {
			Files.deleteIfExists(path);
		}
	}

}
