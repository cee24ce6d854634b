package dev.sharding.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.Service;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables in docs/metrics.md, the meters of a running application and those in the
 * sources are the same.
 */
class MetricsPageTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern ROW = Pattern
		.compile("\\| `([a-z.]+)` \\| [a-z, ]+ \\| ([a-z, ]*) ?\\| (start|use) \\|.*");

	private static final Pattern NAME = Pattern.compile("\"((?:sharding|controller|workqueue)\\.[a-z.]+[a-z])\"");

	private static final Pattern LITERAL = Pattern.compile("\"([a-z.]+)\"");

	private final Map<String, Set<String>> tags = new TreeMap<>();

	private final Set<String> fromTheStart = new TreeSet<>();

	MetricsPageTests() throws IOException {
		for (String line : Files.readAllLines(ROOT.resolve("docs/metrics.md"))) {
			Matcher row = ROW.matcher(line);
			if (row.matches()) {
				String names = row.group(2).trim();
				this.tags.put(row.group(1), names.isEmpty() ? Set.of() : new TreeSet<>(Set.of(names.split(", "))));
				if (row.group(3).equals("start")) {
					this.fromTheStart.add(row.group(1));
				}
			}
		}
	}

	@Test
	void anApplicationHasTheMetersOfThePageAndNoOthers() {
		Apps.shard()
			.withUserConfiguration(ServiceController.class)
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("sharding.qos.enabled=true", "sharding.sharder.enabled=true",
					"sharding.sharder.leader-election.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				Map<String, Set<String>> registered = new TreeMap<>();
				for (Meter meter : context.getBean(MeterRegistry.class).getMeters()) {
					Set<String> keys = registered.computeIfAbsent(meter.getId().getName(), (name) -> new TreeSet<>());
					meter.getId().getTags().stream().map(Tag::getKey).forEach(keys::add);
				}
				assertThat(registered.keySet()).containsAll(this.fromTheStart);
				registered.forEach((name, keys) -> assertThat(this.tags).as(name).containsEntry(name, keys));
			});
	}

	@Test
	void thePageHasTheMetersOfTheSourcesAndNoOthers() throws IOException {
		Set<String> named = new TreeSet<>();
		Set<String> literals = new TreeSet<>();
		try (Stream<Path> sources = Stream
			.of("sharding-kubernetes", "sharding-qos", "sharding-sharder", "sharding-autoconfigure")
			.flatMap((module) -> walk(ROOT.resolve(module).resolve("src/main/java")))) {
			for (Path source : sources.filter((path) -> path.toString().endsWith(".java")).toList()) {
				String text = Files.readString(source);
				if (text.contains("import io.micrometer.")) {
					NAME.matcher(text).results().map((found) -> found.group(1)).forEach(named::add);
					LITERAL.matcher(text).results().map((found) -> found.group(1)).forEach(literals::add);
				}
			}
		}
		named.removeIf((name) -> name.matches("sharding\\.(claim|(sharder|qos)\\.enabled)"));
		assertThat(this.tags.keySet()).as("documented").containsAll(named);
		assertThat(this.tags.keySet()).as("in the sources")
			.allMatch((row) -> literals.stream().anyMatch((name) -> row.equals(name) || row.endsWith("." + name)));
	}

	private static Stream<Path> walk(Path folder) {
		try {
			return Files.walk(folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@LeaderElectedController
	static class ServiceController implements Reconciler<Service> {

		@Override
		public Result reconcile(Service object) {
			return Result.done();
		}

	}

}
