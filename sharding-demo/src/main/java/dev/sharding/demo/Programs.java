package dev.sharding.demo;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs of the play as {@code ./demo} has built them, and how to call them.
 *
 * @param sharder executable jar of the sharder
 * @param shard executable jar of the example app
 * @param demo jar of this module
 */
record Programs(Path sharder, Path shard, Path demo) {

	/*
	 * Five JVMs share the machine with the API server: short of memory and quick to start
	 * is better here than fast after a minute.
	 */
	private static final List<String> JVM = List.of("-Xmx160m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-Xshare:auto", "-Dspring.main.banner-mode=off");

	static Programs in(Path root) {
		return new Programs(jar(root.resolve("sharding-sharder/target"), "sharding-sharder-*-exec.jar"),
				jar(root.resolve("example-app/target"), "example-app-*-exec.jar"),
				jar(root.resolve("sharding-demo/target"), "sharding-demo-*.jar"));
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

	List<String> runSharder() {
		return java("-jar", this.sharder.toString());
	}

	List<String> runShard() {
		return java("-jar", this.shard.toString());
	}

	/** A shard that acknowledges drains too early: the negative control. */
	List<String> runBrokenShard() {
		return java("-Dloader.main=dev.sharding.demo.broken.EarlyAcknowledgement", "-Dloader.path=" + this.demo, "-cp",
				this.shard.toString(), "org.springframework.boot.loader.launch.PropertiesLauncher");
	}

	/** The judge, from the class path of this very process. */
	List<String> runJudge(String... arguments) {
		List<String> command = java("-Dlogback.configurationFile=demo-logback.xml",
				"-Ddemo.logs=" + System.getProperty("demo.logs", "target"), "-cp",
				System.getProperty("java.class.path"), "dev.sharding.demo.judge.JudgeMain");
		command.addAll(List.of(arguments));
		return command;
	}

	static List<String> java(String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
		command.addAll(JVM);
		command.addAll(List.of(arguments));
		return command;
	}

}
