package dev.sharding.demo.chaos;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sharding.demo.RingSite;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PlacesTests {

	private static final RingSite SITE = new RingSite("ring-a", List.of("chaos-a"));

	/** SHA-256 of "one". */
	private static final String SUM = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";

	@Test
	void seesWhatIsInItsPlace() {
		assertThat(wrong(secret("red"), checksums("red", SUM, "a-1"), true)).isEmpty();
	}

	@Test
	void seesLabelsThatWereNotFollowed() {
		assertThat(wrong(secret("red"), checksums("blue", SUM, "a-1"), true))
			.isEqualTo("the labels of its checksums are not up to date");
		// Not every program gives them on.
		assertThat(wrong(secret("red"), checksums("blue", SUM, "a-1"), false)).isEmpty();
	}

	@Test
	void seesChecksumsThatAreOfAnotherStateOrElsewhere() {
		assertThat(wrong(secret("red"), checksums("red", "other", "a-1"), true))
			.isEqualTo("its checksums are not up to date");
		assertThat(wrong(secret("red"), null, true)).isEqualTo("its checksums are not up to date");
		assertThat(wrong(secret("red"), checksums("red", SUM, "a-2"), true))
			.isEqualTo("the owner of its checksums is 'a-2'");
	}

	private static String wrong(Secret secret, @Nullable ConfigMap child, boolean labelled) {
		return Places.wrong(secret, child, "a-1", SITE, labelled);
	}

	private static Secret secret(String team) {
		return new SecretBuilder().withNewMetadata()
			.withName("secret-1")
			.withLabels(labels(team, "a-1"))
			.endMetadata()
			.withData(Map.of("value", "b25l"))
			.build();
	}

	private static ConfigMap checksums(String team, String sum, String owner) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("checksums-secret-1")
			.withLabels(labels(team, owner))
			.addToLabels("secret", "secret-1")
			.endMetadata()
			.withData(Map.of("value", sum))
			.build();
	}

	private static Map<String, String> labels(String team, String owner) {
		return new HashMap<>(Map.of("team", team, ShardingLabels.shard("ring-a"), owner));
	}

}
