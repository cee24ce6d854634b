package dev.sharding.controlplane;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.stream.Stream;

/**
 * The folder with the verified programs. A marker file in it remembers size, time and
 * checksum of each program at its verification: a program with another size or time is
 * checked and run again, and one with another checksum is broken, whatever it answers.
 */
final class BinaryCache {

	private static final String MARKER = "verified";

	private static final String CHECKSUM = " sha256 ";

	private static final String WORK_PREFIX = ".work-";

	private final Path home;

	private final List<Program> programs;

	BinaryCache(Path home, List<Program> programs) {
		this.home = home;
		this.programs = programs;
	}

	Path lockFile() {
		return this.home.resolveSibling(this.home.getFileName() + ".lock");
	}

	/**
	 * The folder of the programs, if they are here and run.
	 * @return empty if they are absent, or if one of them is broken
	 */
	Optional<Path> find() {
		try {
			String marker = readMarker();
			if (!marker.startsWith(fingerprint(this.home))) {
				verify(this.home, marker);
			}
			return Optional.of(this.home);
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
		verify(folder, "");
		if (isOccupied()) {
			Path aside = Files.createTempDirectory(this.home.getParent(), workPrefix());
			Files.move(this.home, aside.resolve("replaced"), StandardCopyOption.ATOMIC_MOVE);
			delete(aside);
		}
		Files.move(folder, this.home, StandardCopyOption.ATOMIC_MOVE);
	}

	private void verify(Path folder, String marker) throws IOException {
		String checksums = checksums(folder);
		if (marker.contains(CHECKSUM) && !marker.endsWith(checksums)) {
			throw new IOException("the programs in '" + folder + "' are not those that were verified");
		}
		for (Program program : this.programs) {
			program.verify(folder);
		}
		try {
			Path next = Files.createTempFile(folder, MARKER, ".tmp");
			Files.writeString(next, fingerprint(folder) + checksums);
			Files.move(next, folder.resolve(MARKER), StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			// A cache that cannot be written serves as well; it is verified each time.
		}
	}

	private String readMarker() {
		try {
			return Files.readString(this.home.resolve(MARKER));
		}
		catch (IOException ex) {
			return "";
		}
	}

	private String fingerprint(Path folder) throws IOException {
		StringJoiner fingerprint = new StringJoiner("\n", "", "\n");
		for (Program program : this.programs) {
			Path file = program.in(folder);
			fingerprint
				.add(program.fileName() + " " + Files.size(file) + " " + Files.getLastModifiedTime(file).toMillis());
		}
		return fingerprint.toString();
	}

	private String checksums(Path folder) throws IOException {
		StringBuilder checksums = new StringBuilder();
		for (Program program : this.programs) {
			MessageDigest digest = sha256();
			try (InputStream bytes = new DigestInputStream(Files.newInputStream(program.in(folder)), digest)) {
				bytes.transferTo(OutputStream.nullOutputStream());
			}
			checksums.append(program.fileName())
				.append(CHECKSUM)
				.append(HexFormat.of().formatHex(digest.digest()))
				.append('\n');
		}
		return checksums.toString();
	}

	private static MessageDigest sha256() {
		try {
			return MessageDigest.getInstance("SHA-256");
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Each Java platform has SHA-256", ex);
		}
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
