package dev.sharding.demo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.CRC32;

import org.jspecify.annotations.Nullable;

/**
 * The programs of the play as {@code ./demo} has built them, and how to call them.
 *
 * @param sharder executable jar of the sharder, or the folder that it was laid out in
 * @param shard executable jar of the example app, or its folder
 * @param demo jar of this module
 * @param operator folder with the jars that the example app lacks to be an operator
 * @param config the folder of the manifests
 */
public record Programs(Path sharder, Path shard, Path demo, Path operator, Path config) {

	/*
	 * Five JVMs share the machine with the API server: short of memory and quick to start
	 * is better here than fast after a minute.
	 */
	private static final List<String> JVM = List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Xshare:auto", "-Dspring.main.banner-mode=off");

	/*
	 * Tests have every cache compared with the API server, also those of other processes:
	 * who starts them reads in their logs what came of it.
	 */
	private static final String CHECK = "sharding.cache.check-millis";

	private static final Duration ARCHIVED_WITHIN = Duration.ofMinutes(5);

	private static final String CLASSES = "BOOT-INF/classes/";

	private static final String LIBRARIES = "BOOT-INF/lib/";

	private static final String APP = "app.jar";

	private static final String OPERATOR = "dev.sharding.demo.operator.";

	/** Those that were built in the folder of the project. */
	public static Programs in(Path root) {
		return new Programs(jar(root.resolve("sharding-sharder/target"), "sharding-sharder-*-exec.jar"),
				jar(root.resolve("example-app/target"), "example-app-*-exec.jar"),
				jar(root.resolve("sharding-demo/target"), "sharding-demo-*.jar"),
				root.resolve("sharding-demo/target/operator"), root.resolve("config"));
	}

	private static Path jar(Path folder, String pattern) {
		try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, pattern)) {
			for (Path jar : found) {
				return jar;
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to look for " + pattern + " in " + folder + ": run ./demo", ex);
		}
		throw new IllegalStateException("There is no " + pattern + " in " + folder + ": run ./demo");
	}

	List<String> runSharder(@Nullable String main) {
		return run(this.sharder, main);
	}

	List<String> runShard(@Nullable String main) {
		return run(this.shard, main);
	}

	/**
	 * Lays these programs out as jars: an archive of the classes that a program loads
	 * tells of jars, not of folders.
	 * @param folder where to
	 */
	public void layOut(Path folder) throws IOException {
		Programs to = laidOut(folder);
		layOut(this.sharder, to.sharder);
		layOut(this.shard, to.shard);
		Files.copy(this.demo, to.demo, StandardCopyOption.REPLACE_EXISTING);
	}

	/**
	 * Has each program that is laid out write the archive of its classes, by a start that
	 * ends before it asks for an API server. Without one, programs start as ever.
	 */
	public void archive() throws IOException, InterruptedException {
		archive(this.sharder, "dev.sharding.internal.sharder.app.SharderApplication");
		archive(this.shard, "dev.sharding.example.ChecksumApplication");
	}

	private static void archive(Path program, String main) throws IOException, InterruptedException {
		Path unfinished = archive(program).resolveSibling("app.jsa.part");
		List<String> command = java("-XX:ArchiveClassesAtExit=" + unfinished, "-Dspring.context.exit=onRefresh", "-cp",
				program.resolve(APP) + ":" + program.resolve("lib/*"), main);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(program.resolve("archive.log").toFile());
		builder.environment().put("SERVER_PORT", "0");
		builder.environment().put("SPRING_MAIN_WEBAPPLICATIONTYPE", "none");
		Process process = builder.start();
		if (!process.waitFor(ARCHIVED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
			process.destroyForcibly();
		}
		if (Files.exists(unfinished)) {
			Files.move(unfinished, archive(program), StandardCopyOption.REPLACE_EXISTING);
		}
	}

	/** The same programs as they are laid out: they start with less work. */
	public Programs laidOut(Path folder) {
		return new Programs(folder.resolve("sharder"), folder.resolve("shard"), folder.resolve("demo.jar"),
				this.operator, this.config);
	}

	/**
	 * Where the archive of the classes of a program that is laid out is, if there is one.
	 */
	static Path archive(Path program) {
		return program.resolve("app.jsa");
	}

	/** Reads a file among the classes of a program. */
	static InputStream open(Path program, String name) throws IOException {
		boolean laidOut = Files.isDirectory(program);
		try (JarFile jar = new JarFile((laidOut ? program.resolve(APP) : program).toFile())) {
			JarEntry entry = jar.getJarEntry(laidOut ? name : CLASSES + name);
			return new ByteArrayInputStream(jar.getInputStream(entry).readAllBytes());
		}
	}

	/**
	 * What the programs are made of, equal only for equal ones: jars of different builds
	 * can have the same time.
	 */
	public String stamp() throws IOException {
		return Runtime.version() + stamp(this.sharder) + stamp(this.shard) + stamp(this.demo);
	}

	private static String stamp(Path jar) throws IOException {
		CRC32 checksum = new CRC32();
		checksum.update(Files.readAllBytes(jar));
		return "\n%s %d %d".formatted(jar.getFileName(), Files.size(jar), checksum.getValue());
	}

	private static void layOut(Path jar, Path folder) throws IOException {
		Path libraries = Files.createDirectories(folder.resolve("lib"));
		try (JarFile file = new JarFile(jar.toFile());
				JarOutputStream classes = new JarOutputStream(Files.newOutputStream(folder.resolve(APP)))) {
			for (JarEntry entry : Collections.list(file.entries())) {
				String name = entry.getName();
				// With the folders: whoever scans for components asks for these.
				if (name.startsWith(CLASSES) && name.length() > CLASSES.length()) {
					classes.putNextEntry(new JarEntry(name.substring(CLASSES.length())));
					file.getInputStream(entry).transferTo(classes);
				}
				else if (name.startsWith(LIBRARIES) && !entry.isDirectory()) {
					Files.copy(file.getInputStream(entry), libraries.resolve(name.substring(LIBRARIES.length())),
							StandardCopyOption.REPLACE_EXISTING);
				}
			}
		}
	}

	/** A program, or a main class of ours on its class path. */
	private List<String> run(Path program, @Nullable String main) {
		if (main != null && Files.isDirectory(program)) {
			List<String> command = Files.exists(archive(program)) ? java("-XX:SharedArchiveFile=" + archive(program))
					: java();
			// An archive fits a class path that goes on after what it was made for.
			command.addAll(List.of("-cp", program.resolve(APP) + ":" + program.resolve("lib/*") + ":" + this.demo
					+ (isOperator(main) ? ":" + this.operator.resolve("*") : ""), main));
			return command;
		}
		return (main == null) ? java("-jar", program.toString())
				: java("-Dloader.main=" + main,
						"-Dloader.path=" + this.demo + (isOperator(main) ? "," + this.operator : ""), "-cp",
						program.toString(), "org.springframework.boot.loader.launch.PropertiesLauncher");
	}

	private static boolean isOperator(String main) {
		return main.startsWith(OPERATOR);
	}

	/** The judge, from the class path of this very process. */
	List<String> runJudge(String... arguments) {
		List<String> command = java("-Dlogback.configurationFile=demo-logback.xml",
				"-Ddemo.logs=" + System.getProperty("demo.logs", "target"), "-cp",
				System.getProperty("java.class.path"), "dev.sharding.judge.JudgeMain");
		command.addAll(List.of(arguments));
		return command;
	}

	static List<String> java(String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
		command.addAll(JVM);
		String millis = System.getProperty(CHECK);
		if (millis != null) {
			command.add("-D" + CHECK + "=" + millis);
		}
		command.addAll(List.of(arguments));
		return command;
	}

}
