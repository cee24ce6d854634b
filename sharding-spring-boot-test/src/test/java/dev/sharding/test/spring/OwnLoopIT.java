package dev.sharding.test.spring;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

import dev.sharding.protocol.ShardingLabels;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The second way in: a loop of the user's own on the caches, events and drains of a
 * shard.
 */
@ShardingTest(main = Secret.class, controlled = ConfigMap.class, classes = OwnLoopIT.LoopApplication.class)
class OwnLoopIT {

	private final TestRing ring;

	private final Secrets secrets;

	OwnLoopIT(TestRing ring) {
		this.ring = ring;
		this.secrets = new Secrets(ring);
	}

	@Test
	void sharesTheWorkAndAcknowledgesDrains() {
		Secrets.soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning());
		List<Secret> secrets = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			secrets.add(this.secrets.create("secret-" + i));
		}
		Secrets.soon().untilAsserted(() -> assertThat(madeBy(secrets)).containsOnly(ShardingTest.SHARD));
		// The second shard gets its share only if the first one acknowledges drains.
		try (TestShard second = this.ring.startShard("shard-2")) {
			Secrets.soon().until(() -> owners(secrets).contains("shard-2"));
			Secrets.soon().untilAsserted(() -> assertThat(this.ring).isSettled());
			Secret moved = secrets.stream()
				.filter((secret) -> this.ring.ownerOf(secret).orElseThrow().equals("shard-2"))
				.findFirst()
				.orElseThrow();
			assertThat(this.secrets.configMap(moved).getMetadata().getLabels())
				.containsEntry(ShardingLabels.shard(this.ring.name()), "shard-2");
			this.ring.client().resource(this.secrets.configMap(moved)).delete();
			Secrets.soon().untilAsserted(() -> assertThat(madeBy(List.of(moved))).containsExactly("shard-2"));
		}
		Secrets.soon().untilAsserted(() -> assertThat(owners(secrets)).containsOnly(ShardingTest.SHARD));
	}

	@Test
	void beginsAgainWithTheNextTerm() {
		Secrets.soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning());
		this.ring.shard().loseLease();
		Secret secret = this.secrets.create("late");
		Secrets.soon().untilAsserted(() -> assertThat(madeBy(List.of(secret))).containsExactly(ShardingTest.SHARD));
	}

	private List<String> owners(List<Secret> secrets) {
		return secrets.stream().map((secret) -> this.ring.ownerOf(secret).orElse("nobody")).toList();
	}

	private List<String> madeBy(List<Secret> secrets) {
		return secrets.stream().map(this.secrets::reconciledBy).toList();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(OwnLoop.class)
	static class LoopApplication {

	}

}
