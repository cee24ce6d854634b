package dev.sharding.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;

/**
 * Makes an OCI archive of what {@code config/Dockerfile} says, by Jib. Files get a fixed
 * time, so that the same program makes the same layers.
 */
public final class BuildImage {

	private static final String SCRATCH = "scratch";

	/* That of Jib: a time of zero upsets some tools. */
	private static final Instant TIME = Instant.ofEpochSecond(1);

	private BuildImage() {
	}

	/**
	 * Makes the archive and prints where it is.
	 * @param arguments {@code --context=} the checkout; {@code --work=} a folder for this
	 * alone; {@code --base=} a reference, or scratch, or nothing for that of the
	 * Dockerfile; {@code --platform=} such as linux/arm64
	 * @throws IOException if a file cannot be read or written, or the registry does not
	 * answer
	 */
	public static void main(String... arguments) throws IOException {
		Map<String, String> options = new HashMap<>();
		Arrays.stream(arguments)
			.map((argument) -> argument.split("=", 2))
			.forEach((option) -> options.put(option[0], option[1]));
		Path context = Path.of(options.getOrDefault("--context", "."));
		Path work = Path.of(options.getOrDefault("--work", "target/image"));
		String base = options.getOrDefault("--base", "");
		System.out.println(build(context, work, base, options.getOrDefault("--platform", "linux/amd64")));
	}

	static Path build(Path context, Path work, String base, String platform) throws IOException {
		Dockerfile dockerfile = Dockerfile.of(context);
		Path layers = extract(dockerfile, context, clean(work.toAbsolutePath().resolve("layers")));
		String[] machine = platform.split("/", -1);
		Path archive = work.toAbsolutePath().resolve("sharding-sharder-" + machine[1] + ".tar");
		try {
			JibContainerBuilder image = from(base.isEmpty() ? dockerfile.base() : base, work);
			for (String layer : dockerfile.layers()) {
				image.addFileEntriesLayer(layer(layer, layers.resolve(layer), dockerfile.workdir()));
			}
			dockerfile.environment().forEach(image::addEnvironmentVariable);
			image.setPlatforms(Set.of(new Platform(machine[1], machine[0])))
				.setWorkingDirectory(AbsoluteUnixPath.get(dockerfile.workdir()))
				.setUser(dockerfile.user())
				.setEntrypoint(dockerfile.entryPoint())
				.setFormat(ImageFormat.OCI)
				.setCreationTime(TIME)
				.containerize(Containerizer.to(TarImage.at(archive).named("sharding-sharder"))
					.setBaseImageLayersCache(work.resolve("cache"))
					.setApplicationLayersCache(work.resolve("cache"))
					.setOfflineMode(SCRATCH.equals(base)));
		}
		catch (InvalidImageReferenceException | RegistryException | CacheDirectoryCreationException
				| ExecutionException ex) {
			throw new IOException("Failed to make the image of " + base + ": " + ex.getMessage(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted while the image was made", ex);
		}
		return archive;
	}

	private static Path extract(Dockerfile dockerfile, Path context, Path folder) throws IOException {
		Path jar = context.resolve(dockerfile.jar());
		if (!Files.exists(jar)) {
			throw new IOException("There is no " + jar + ": run mvn -DskipTests package");
		}
		Files.createDirectories(folder);
		Files.copy(jar, folder.resolve("app.jar"), StandardCopyOption.REPLACE_EXISTING);
		Commands.run(folder, "sh", "-c",
				"PATH='" + Path.of(System.getProperty("java.home"), "bin") + "':\"$PATH\"; " + dockerfile.extraction());
		return folder.resolve("extracted");
	}

	private static JibContainerBuilder from(String base, Path work) throws IOException, InvalidImageReferenceException {
		if (!SCRATCH.equals(base)) {
			return Jib.from(base);
		}
		Path root = clean(work.toAbsolutePath().resolve("base"));
		Files.createDirectories(root);
		ScratchBase.fill(root, Path.of(System.getProperty("java.home")));
		JibContainerBuilder image = Jib.fromScratch();
		ScratchBase.ENVIRONMENT.forEach(image::addEnvironmentVariable);
		return image.addFileEntriesLayer(layer("base", root, "/"));
	}

	private static FileEntriesLayer layer(String name, Path folder, String target) throws IOException {
		FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
		try (Stream<Path> files = Files.walk(folder)) {
			for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
				AbsoluteUnixPath path = AbsoluteUnixPath.get(target)
					.resolve(folder.relativize(file).toString().replace('\\', '/'));
				layer.addEntry(file, path, FilePermissions.fromOctalString(Files.isExecutable(file) ? "755" : "644"),
						TIME);
			}
		}
		return layer.build();
	}

	private static Path clean(Path folder) throws IOException {
		if (Files.exists(folder)) {
			List<Path> deepestFirst;
			try (Stream<Path> files = Files.walk(folder)) {
				deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
			}
			for (Path file : deepestFirst) {
				Files.delete(file);
			}
		}
		return folder;
	}

}
