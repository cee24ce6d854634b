package dev.sharding.internal.core.assignment;

import java.util.Map;
import java.util.TreeMap;

import dev.sharding.internal.core.Golden;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.protocol.ShardingLabels;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

class PatchTests {

	private static final String RING = "my-ring";

	private static final JsonMapper JSON = new JsonMapper();

	@Test
	void drainIsGolden() {
		assertThat(json(LabelPatch.drain(RING, "12345"))).isEqualTo(body("sharder controller: drain"));
	}

	@Test
	@DisplayName("94 both labels go in one patch")
	void acknowledgementIsGolden() {
		// The variant for an object without other labels has the same effect; we always
		// send this one (protocol section 6.4).
		assertThat(json(LabelPatch.acknowledgeDrain(RING, "12345")))
			.isEqualTo(body("shard: drain acknowledgement, object has other labels"));
	}

	@Test
	void stateIsGolden() {
		assertThat(json(LabelPatch.state(ShardState.READY, "12345")))
			.isEqualTo(body("shardlease controller: state label"));
	}

	@Test
	void assignmentIsGoldenButForTheNewShard() {
		JsonNode golden = body("sharder controller: move / assign").deepCopy();
		ObjectNode labels = (ObjectNode) golden.get("metadata").get("labels");
		assertThat(labels.get(ShardingLabels.shard(RING)).isNull()).isTrue();
		labels.put(ShardingLabels.shard(RING), "shard-a");
		assertThat(json(LabelPatch.assign(RING, "shard-a", "12345"))).isEqualTo(golden);
	}

	@Test
	void aFirstAssignmentNamesTheVersionThatWasAssigned() {
		assertThat(LabelPatch.assignFirst(RING, "shard-a", "12345").labels())
			.containsAllEntriesOf(LabelPatch.assign(RING, "shard-a", "12345").labels())
			.containsEntry(ShardingLabels.first(RING), "12345")
			.hasSize(3);
	}

	@Test
	void theMarkGoesWhereThereIsOne() {
		LabelPatch acknowledgement = LabelPatch.acknowledgeDrain(RING, "12345");
		String other = ShardingLabels.first("other");
		assertThat(acknowledgement.unmarking(RING, null)).isEqualTo(acknowledgement);
		assertThat(acknowledgement.unmarking(RING, Map.of(other, "7"))).isEqualTo(acknowledgement);
		assertThat(acknowledgement.unmarking(RING, Map.of(ShardingLabels.first(RING), "7")).labels())
			.containsOnlyKeys(ShardingLabels.shard(RING), ShardingLabels.drain(RING), ShardingLabels.first(RING))
			.containsEntry(ShardingLabels.first(RING), null);
	}

	@Test
	@DisplayName("86/87 labels are made where there are none, and kept where there are some")
	void admissionIsGolden() {
		assertThat(JSON.readTree(AdmissionPatch.assign(RING, "shard-a", false)))
			.isEqualTo(vector("sharder webhook, object without labels").get("operations"));
		assertThat(JSON.readTree(AdmissionPatch.assign(RING, "shard-a", true)))
			.isEqualTo(vector("sharder webhook, object with labels").get("operations"));
	}

	@Test
	void everyGoldenPatchIsTested() {
		assertThat(Golden.cases("patches")).hasSize(7);
	}

	@Property
	void escapesText(@ForAll String label, @ForAll String value, @ForAll String version) {
		LabelPatch patch = new LabelPatch(new TreeMap<>(Map.of(label, value)), version);
		JsonNode metadata = json(patch).get("metadata");
		assertThat(metadata.get("labels").get(label).stringValue()).isEqualTo(value);
		assertThat(metadata.get("resourceVersion").stringValue()).isEqualTo(version);
	}

	private static JsonNode json(LabelPatch patch) {
		return JSON.readTree(patch.toJson());
	}

	private static JsonNode body(String who) {
		return vector(who).get("body");
	}

	private static JsonNode vector(String who) {
		return Golden.cases("patches")
			.filter((vector) -> vector.get("who").stringValue().startsWith(who))
			.findFirst()
			.orElseThrow();
	}

}
