package dev.sharding.demo;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.sharding.judge.Counter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code ./demo --once --objects 60}, as that calls it when all is built. Its sharder is
 * cold when all objects come at once, which takes longer than it may on a machine that is
 * busy with other things.
 */
@Tag("long")
class DemoIT {

	@Test
	void endsWithZeros() throws Exception {
		Path target = Path.of("target").toAbsolutePath();
		Path logs = World.logs("demo");
		Path output = logs.resolve("output.txt");
		Process demo = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8",
				"-Dlogback.configurationFile=demo-logback.xml", "-Ddemo.root=" + target.getParent().getParent(),
				"-Ddemo.logs=" + logs, "-cp", jar(target) + ":" + target.resolve("lib") + "/*",
				"dev.sharding.demo.DemoMain", "--once", "--objects", "60")
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(demo.waitFor(10, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			demo.destroy();
		}
		List<String> lines = Files.readAllLines(output);
		assertThat(demo.exitValue()).as("see %s: %s", logs, lines).isZero();
		assertThat(lines).anyMatch((line) -> line.matches("The page of the sharder: http://127\\.0\\.0\\.1:\\d+/ui/"));
		assertThat(lines)
			.anyMatch((line) -> line.contains("All three are rolled out") && line.contains(" 0 objects moved"));
		assertThat(lines).filteredOn((line) -> line.startsWith("{\"objects\":60,"))
			.singleElement()
			.satisfies((figures) -> assertThat(Arrays.stream(Counter.values()))
				.allMatch((counter) -> figures.contains("\"" + counter.key() + "\":0")));
	}

	private static Path jar(Path target) throws IOException {
		try (DirectoryStream<Path> found = Files.newDirectoryStream(target, "sharding-demo-*.jar")) {
			return found.iterator().next();
		}
	}

}
