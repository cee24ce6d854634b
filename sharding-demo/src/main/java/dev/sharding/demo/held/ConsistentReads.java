package dev.sharding.demo.held;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.Secret;

/**
 * Reads all that a shard has, as it is, now and then, and writes down when it asked, when
 * it was answered, and what it was shown.
 */
public final class ConsistentReads implements AutoCloseable {

	private static final long EVERY_MILLIS = 2500;

	private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "consistent-reads");
		thread.setDaemon(true);
		return thread;
	});

	ConsistentReads(Shard shard, Source source, Path folder) {
		Path file = folder.resolve("reads-" + ProcessHandle.current().pid() + ".jsonl");
		this.pace.scheduleWithFixedDelay(() -> read(shard, source, file), EVERY_MILLIS, EVERY_MILLIS,
				TimeUnit.MILLISECONDS);
	}

	private static void read(Shard shard, Source source, Path file) {
		try {
			if (shard.phase() != RuntimePhase.RUNNING) {
				return;
			}
			String name = shard.name();
			Instant begin = Instant.now();
			List<Secret> secrets = source.list();
			Instant end = Instant.now();
			if (name.equals(shard.name())) {
				note(file,
						"{\"ring\":\"%s\",\"shard\":\"%s\",\"begin\":\"%s\",\"end\":\"%s\",\"versions\":{%s}}\n"
							.formatted(shard.ring(), name, begin, end,
									secrets.stream().map(ConsistentReads::version).collect(Collectors.joining(","))));
			}
		}
		catch (RuntimeException ex) {
			// It was not answered, which tells nothing, and is not what is looked for.
		}
	}

	private static void note(Path file, String line) {
		try {
			Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to write " + file, ex);
		}
	}

	private static String version(Secret secret) {
		return "\"%s/%s\":\"%s\"".formatted(secret.getMetadata().getNamespace(), secret.getMetadata().getName(),
				secret.getMetadata().getResourceVersion());
	}

	@Override
	public void close() {
		this.pace.shutdownNow();
	}

	/** Where it reads. */
	public interface Source {

		/** All that the shard has, as it is at some moment of the call. */
		List<Secret> list();

	}

}
