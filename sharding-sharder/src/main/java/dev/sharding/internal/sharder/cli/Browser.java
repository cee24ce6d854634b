package dev.sharding.internal.sharder.cli;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;

/**
 * Opens links in the user's browser, where there is one.
 */
final class Browser {

	private Browser() {
	}

	/**
	 * Opens a link, by a file that only the user may read: everybody on the machine sees
	 * the arguments of a process. Without a browser, nothing happens.
	 */
	static void open(String link) {
		try {
			boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
			FileAttribute<?>[] mine = posix
					? new FileAttribute<?>[] {
							PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")) }
					: new FileAttribute<?>[0];
			Path file = Files.createTempFile("kubectl-sharding-", ".html", mine);
			file.toFile().deleteOnExit();
			Files.writeString(file,
					"<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=%s\">".formatted(link));
			new ProcessBuilder(command(file.toString())).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
		catch (IOException none) {
			// The link is printed.
		}
	}

	private static List<String> command(String file) {
		String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
		if (system.startsWith("mac")) {
			return List.of("open", file);
		}
		return system.startsWith("windows") ? List.of("rundll32", "url.dll,FileProtocolHandler", file)
				: List.of("xdg-open", file);
	}

}
