package dev.sharding.benchmarks.startup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;

/**
 * The libraries of the example app, with and without what the starter brings, and with
 * the client alone.
 */
final class Libraries {

	private static final String OURS = "sharding-";

	private static final String PREFIX = "BOOT-INF/lib/";

	/** fabric8 has Jackson 2 with it; Spring Boot itself is on Jackson 3. */
	private static final Pattern OF_THE_STARTER = Pattern
		.compile("(sharding-|kubernetes-|zjsonpatch|vertx-|netty-|hash4j|resilience4j-|bcpkix|bcprov|bcutil"
				+ "|snakeyaml-engine|jackson-(core|databind|datatype-.*|dataformat-.*)-2).*");

	private final List<Path> all = new ArrayList<>();

	private Libraries() {
	}

	/** Unpacks them below a folder. */
	static Libraries unpack(Path target, Path folder) throws IOException {
		Libraries libraries = new Libraries();
		Files.createDirectories(folder);
		try (JarFile jar = new JarFile(executable(target).toFile())) {
			for (JarEntry entry : jar.stream().filter((one) -> one.getName().matches(PREFIX + ".*\\.jar")).toList()) {
				Path library = folder.resolve(entry.getName().substring(PREFIX.length()));
				if (!Files.exists(library) || library.getFileName().toString().startsWith(OURS)) {
					try (InputStream content = jar.getInputStream(entry)) {
						Files.copy(content, library, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
					}
				}
				libraries.all.add(library);
			}
		}
		return libraries;
	}

	private static Path executable(Path target) throws IOException {
		try (DirectoryStream<Path> jars = Files.newDirectoryStream(target, "example-app-*-exec.jar")) {
			return jars.iterator().next();
		}
	}

	List<Path> withStarter() {
		return List.copyOf(this.all);
	}

	/** The Kubernetes client, and nothing of ours. */
	List<Path> withClient() {
		return this.all.stream().filter((library) -> !library.getFileName().toString().startsWith(OURS)).toList();
	}

	List<Path> withoutStarter() {
		return this.all.stream()
			.filter((library) -> !OF_THE_STARTER.matcher(library.getFileName().toString()).matches())
			.toList();
	}

}
