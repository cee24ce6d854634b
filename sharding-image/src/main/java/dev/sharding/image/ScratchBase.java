package dev.sharding.image;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A base where no registry can be asked: a runtime that jlink makes of the JDK of the
 * build, the shell that the entry point names, and the shared libraries of this machine
 * that these need. It is for tests: nobody mends its libraries when they have holes.
 */
final class ScratchBase {

	/* Where Temurin has it, too. */
	static final String JAVA = "opt/java/openjdk";

	static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/" + JAVA + "/bin:/usr/bin:/bin", "JAVA_HOME",
			"/" + JAVA, "LANG", "C.UTF-8");

	/*
	 * Spring's use of java.beans makes it depend on java.desktop, and so on java.se as a
	 * whole.
	 */
	private static final String MODULES = "java.se,jdk.crypto.ec,jdk.jfr,jdk.management,jdk.naming.dns,jdk.unsupported,jdk.zipfs";

	/* What java.desktop draws and plays with. */
	private static final Pattern DESKTOP = Pattern
		.compile("lib(awt.*|fontmanager|freetype|javajpeg|jawt|jsound|lcms|mlib_image|splashscreen)\\.so");

	private static final Pattern LIBRARY = Pattern.compile("(?m)^\\s*(?:\\S+ => )?(/\\S+) \\(0x[0-9a-f]+\\)$");

	private ScratchBase() {
	}

	/**
	 * Fills a folder with the files of the base.
	 * @param root an absent folder
	 * @param jdk the JDK to make the runtime of
	 */
	static void fill(Path root, Path jdk) throws IOException {
		Path java = root.resolve(JAVA);
		Files.createDirectories(java.getParent());
		Commands.run(root, jdk.resolve("bin/jlink").toString(), "--add-modules", MODULES,
				"--strip-java-debug-attributes", "--no-man-pages", "--no-header-files", "--output", java.toString());
		List<Path> programs = new ArrayList<>(List.of(java.resolve("bin/java"), copy(root, Path.of("/bin/sh"))));
		try (Stream<Path> files = Files.walk(java.resolve("lib"), FileVisitOption.FOLLOW_LINKS)) {
			for (Path file : files.filter((path) -> path.toString().endsWith(".so")).toList()) {
				if (DESKTOP.matcher(file.getFileName().toString()).matches()) {
					Files.delete(file);
				}
				else {
					programs.add(file);
				}
			}
		}
		TreeSet<Path> libraries = new TreeSet<>();
		for (Path program : programs) {
			Matcher library = LIBRARY.matcher(Commands.run(root, "ldd", program.toString()));
			library.results().map((found) -> Path.of(found.group(1)).normalize()).forEach(libraries::add);
		}
		for (Path library : libraries) {
			if (!library.startsWith(root)) {
				copy(root, library);
			}
		}
	}

	private static Path copy(Path root, Path file) throws IOException {
		Path target = root.resolve(file.toString().substring(1));
		Files.createDirectories(target.getParent());
		return Files.copy(file, target);
	}

}
