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

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import io.fabric8.kubernetes.api.model.Secret;

/**
 * Reads all that a shard has, as it is, now and then, and writes down when it asked, when
 * it was answered, and what it was shown, or that it was not: a line when it asks, and
 * one when that is over.
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
		if (shard.phase() != RuntimePhase.RUNNING) {
			return;
		}
		String name = shard.name();
		ObjectNode line = new ObjectMapper().createObjectNode()
			.put("ring", shard.ring())
			.put("shard", name)
			.put("user", System.getenv().getOrDefault("DEMO_USER", ""))
			.put("begin", Instant.now().toString());
		note(file, line);
		try {
			List<Secret> secrets = source.list();
			line.put("end", Instant.now().toString());
			// What another shard was shown is not this one's.
			if (name.equals(shard.name())) {
				ObjectNode versions = line.putObject("versions");
				secrets.forEach((secret) -> versions.put(
						secret.getMetadata().getNamespace() + "/" + secret.getMetadata().getName(),
						secret.getMetadata().getResourceVersion()));
			}
		}
		catch (RuntimeException ex) {
			line.put("end", Instant.now().toString());
			// Who is that shard no more is not answered.
			if (shard.phase() == RuntimePhase.RUNNING && name.equals(shard.name())) {
				line.put("failure", ex.toString());
			}
		}
		note(file, line);
	}

	private static void note(Path file, ObjectNode line) {
		try {
			Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new IllegalStateException("Failed to write " + file, ex);
		}
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
