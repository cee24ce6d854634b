package dev.sharding.demo;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

import org.jspecify.annotations.Nullable;

/**
 * The programs of the play as {@code ./demo} has built them, and how to call them.
 *
 * @param sharder executable jar of the sharder, or the folder that it was unpacked to
 * @param shard executable jar of the example app, or its folder
 * @param demo jar of this module
 * @param config the folder of the manifests
 */
record Programs(Path sharder, Path shard, Path demo, Path config) {

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

	static Programs in(Path root) {
		return new Programs(jar(root.resolve("sharding-sharder/target"), "sharding-sharder-*-exec.jar"),
				jar(root.resolve("example-app/target"), "example-app-*-exec.jar"),
				jar(root.resolve("sharding-demo/target"), "sharding-demo-*.jar"), root.resolve("config"));
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
	 * The same programs, unpacked: they start with less work.
	 * @param folder where to, made if it is not there
	 */
	Programs unpacked(Path folder) throws IOException {
		return new Programs(unpack(this.sharder, folder.resolve("sharder")),
				unpack(this.shard, folder.resolve("shard")), this.demo, this.config);
	}

	/** Reads a file of a program. */
	static InputStream open(Path program, String name) throws IOException {
		if (Files.isDirectory(program)) {
			return Files.newInputStream(program.resolve(name));
		}
		try (JarFile jar = new JarFile(program.toFile())) {
			return new ByteArrayInputStream(jar.getInputStream(jar.getEntry(name)).readAllBytes());
		}
	}

	private static Path unpack(Path jar, Path folder) throws IOException {
		try (JarFile file = new JarFile(jar.toFile())) {
			for (JarEntry entry : Collections.list(file.entries())) {
				Path target = folder.resolve(entry.getName());
				if (!entry.isDirectory()) {
					Files.createDirectories(target.getParent());
					Files.copy(file.getInputStream(entry), target, StandardCopyOption.REPLACE_EXISTING);
				}
			}
		}
		return folder;
	}

	/** A program, or a main class of ours on its class path. */
	private List<String> run(Path jar, @Nullable String main) {
		if (main != null && Files.isDirectory(jar)) {
			return java("-cp", this.demo + ":" + jar.resolve("BOOT-INF/classes") + ":" + jar.resolve("BOOT-INF/lib/*"),
					main);
		}
		return (main == null) ? java("-jar", jar.toString())
				: java("-Dloader.main=" + main, "-Dloader.path=" + this.demo, "-cp", jar.toString(),
						"org.springframework.boot.loader.launch.PropertiesLauncher");
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
