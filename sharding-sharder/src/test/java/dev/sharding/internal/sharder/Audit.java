package dev.sharding.internal.sharder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * What the API server wrote down about the requests of one user.
 */
final class Audit {

	private final Path log;

	private final String user;

	private final KubernetesSerialization serialization = new KubernetesSerialization();

	Audit(Path log, String user) {
		this.log = log;
		this.user = user;
	}

	/* All lines of the user, from the given one on. */
	List<String> lines(int from) {
		try {
			List<String> mine = new ArrayList<>();
			for (String line : Files.readAllLines(this.log)) {
				if (line.contains("\"username\":\"" + this.user + "\"")) {
					mine.add(line);
				}
			}
			return mine.subList(Math.min(from, mine.size()), mine.size());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/* The requests that were answered. */
	long count(int from, String verb, String resource) {
		return lines(from).stream()
			.filter((line) -> line.contains("\"verb\":\"" + verb + "\""))
			.map((line) -> (Map<?, ?>) this.serialization.unmarshal(line, Map.class))
			.filter((event) -> "ResponseComplete".equals(event.get("stage"))
					&& ((Map<?, ?>) event.get("objectRef")).get("resource").equals(resource))
			.count();
	}

}
