package dev.sharding.demo.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class AuditTailTests {

	private static final Extent EXTENT = new Extent(1, 2, 10, 2, 10_000, false);

	@TempDir
	private Path directory;

	@Test
	void seesWhatIsWrittenWhileItLooks() throws IOException {
		Path log = Files.writeString(this.directory.resolve("audit.log"), "");
		long start = System.nanoTime();
		try (AuditTail tail = new AuditTail(log, EXTENT.sites())) {
			append(log, line("sharder.process-1", "update", "leases", "sharding-system", "{\"holderIdentity\":\"x\"}"));
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(tail.leader()).isEqualTo("sharder.process-1"));
			assertThat(tail.hasLease("shard.a-1.process-2")).isFalse();
			String drain = line("sharder.process-1", "patch", "secrets", "chaos-a",
					"{\"metadata\":{\"labels\":{\"drain.alpha.sharding.timebertt.dev/ring-a\":\"true\"}}}");
			append(log, "half of a line that a killed server left" + drain.substring(0, 40));
			append(log, "\n" + drain);
			append(log, line("sharder.process-1", "update", "leases", "chaos-b",
					"{\"holderIdentity\":\"shardlease-controller\"}"));
			append(log, line("shard.a-1.process-2", "update", "leases", "chaos-a", "{\"holderIdentity\":\"a-1\"}"));
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> tail.hasLease("shard.a-1.process-2"));
			assertThat(tail.seenSince(Sight.DRAIN, "ring-a", start)).isTrue();
			assertThat(tail.seenSince(Sight.DRAIN, "ring-b", start)).isFalse();
			assertThat(tail.seenSince(Sight.TAKE, "ring-b", start)).isTrue();
			assertThat(tail.seenSince(Sight.TAKE, "ring-b", System.nanoTime())).isFalse();
			assertThat(tail.renewedSince("shard.a-1.process-2", start)).isTrue();
		}
	}

	private static String line(String user, String verb, String resource, String namespace, String request) {
		return """
				{"kind":"Event","stage":"ResponseComplete","verb":"%s","user":{"username":"system:serviceaccount:default:%s"},\
				"objectRef":{"resource":"%s","namespace":"%s","name":"n"},"responseStatus":{"code":200},"requestObject":%s}
				"""
			.formatted(verb, user, resource, namespace, request);
	}

	private static void append(Path file, String text) throws IOException {
		Files.writeString(file, text, StandardOpenOption.APPEND);
	}

}
