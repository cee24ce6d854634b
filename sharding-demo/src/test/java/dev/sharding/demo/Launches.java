package dev.sharding.demo;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * Programs that start with less work: laid out as jars, with an archive of the classes
 * that they load. Who comes first makes both, once in a build, for all processes that
 * test; the others wait meanwhile. Without an archive that fits, a program starts as it
 * ever did.
 */
public final class Launches {

	private static final String OPTIONS = "JAVA_TOOL_OPTIONS";

	/** Writing an archive takes its time on a busy machine. */
	private static final Duration STOP_TIMEOUT = Duration.ofMinutes(2);

	private final Programs programs;

	private final Path folder;

	private Launches(Programs programs, Path folder) {
		this.programs = programs;
		this.folder = folder;
	}

	/**
	 * Lays programs out, unless that has been done.
	 * @param built the executable jars
	 * @param parent where to, in a folder of their own as an archive fits these jars only
	 */
	static Launches of(Programs built, Path parent) throws IOException {
		String jars = built.stamp();
		Path folder = Files.createDirectories(parent.resolve(Integer.toHexString(jars.hashCode())));
		try (FileChannel turn = turn(folder)) {
			Path done = folder.resolve("made-of");
			if (!Files.exists(done)) {
				built.layOut(folder);
				encryptNatively(built.laidOut(folder));
				Files.writeString(done, jars);
			}
			return new Launches(built.laidOut(folder), folder);
		}
	}

	/* The library by which this process encrypts, if it does so; its options say that. */
	private static void encryptNatively(Programs programs) throws IOException {
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			if (entry.contains("CorrettoCryptoProvider")) {
				for (Path program : List.of(programs.sharder(), programs.shard())) {
					Files.copy(Path.of(entry), program.resolve("lib").resolve(Path.of(entry).getFileName()),
							StandardCopyOption.REPLACE_EXISTING);
				}
			}
		}
	}

	/**
	 * The programs of this build, laid out.
	 * @param target the folder of what this module builds
	 */
	public static Programs programs(Path target) throws IOException {
		return of(Programs.in(target.getParent().getParent()), target.resolve("launches")).programs();
	}

	/** Closed, it lets the next one in. */
	private static FileChannel turn(Path folder) throws IOException {
		FileChannel channel = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		channel.lock();
		return channel;
	}

	Programs programs() {
		return this.programs;
	}

	/**
	 * Has a sharder and a shard do their work once, and keeps what they loaded for it,
	 * unless that has been done. Nothing of that is judged.
	 */
	void train(World world) throws IOException {
		List<Path> archives = List.of(Programs.archive(this.programs.sharder()),
				Programs.archive(this.programs.shard()));
		try (FileChannel turn = turn(this.folder)) {
			if (archives.stream().allMatch(Files::exists)) {
				return;
			}
			Cast cast = world.cast();
			cast.enterSharder(trained(world.sharder("sharder"), archives.get(0)));
			cast.enterShard(trained(world.shard("s1"), archives.get(1)));
			cast.awaitHeld();
			cast.awaitAvailable();
			world.settle();
			List<Actor> actors = List.of(cast.dismiss("s1"), cast.dismiss("sharder"));
			// They write the archives as they end.
			actors.forEach(Actor::terminate);
			if (actors.stream().allMatch((actor) -> actor.awaitEnd(STOP_TIMEOUT))) {
				for (Path archive : archives) {
					if (Files.exists(unfinished(archive))) {
						Files.move(unfinished(archive), archive);
					}
				}
			}
			actors.forEach(Actor::kill);
		}
	}

	/*
	 * Without the options of this process: to archive what the library that encrypts has
	 * loaded, which is signed, crashes JDK 17 (SIGSEGV).
	 */
	private static Role trained(Role role, Path archive) {
		return role.with(OPTIONS, "-XX:ArchiveClassesAtExit=" + unfinished(archive));
	}

	private static Path unfinished(Path archive) {
		return archive.resolveSibling(archive.getFileName() + ".part");
	}

}
