package dev.sharding.internal.core.assignment;

import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.assignment.AdmissionDecision.Assign;
import dev.sharding.internal.core.assignment.AdmissionDecision.Leave;
import dev.sharding.internal.core.assignment.AdmissionDecision.LeaveReason;
import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AdmissionDecisionTests {

	private static final String RING = "my-ring";

	private static final HashRing SHARDS = HashRing.of(List.of("shard-a", "shard-b", "shard-c"));

	private static final ObjectIdentity SECRET = new ObjectIdentity("v1", "Secret", "default", "foo", null, List.of());

	private static final ObjectIdentity CONFIG_MAP = new ObjectIdentity("v1", "ConfigMap", "default", "foo-sum", null,
			List.of(new OwnerRef("v1", "Secret", "foo", null, true)));

	@Test
	@DisplayName("79 unknown ring: admitted, where the Go sharder denies")
	void admitsObjectOfUnknownRing() {
		assertThat(decide(null, ResourceRole.MAIN, SECRET, null, true))
			.isEqualTo(new Leave(LeaveReason.RING_UNKNOWN, null));
	}

	@Test
	@DisplayName("81 resource that is not in the ring: admitted, where the Go sharder denies")
	void admitsObjectOfUnrelatedResource() {
		assertThat(decide(SHARDS, null, SECRET, null, true)).isEqualTo(new Leave(LeaveReason.NOT_IN_RING, null));
	}

	@Test
	@DisplayName("82 main object with generateName: admitted, where the Go sharder denies")
	void admitsMainObjectWithoutName() {
		ObjectIdentity unnamed = new ObjectIdentity("v1", "Secret", "default", null, "foo-", List.of());
		assertThat(decide(SHARDS, ResourceRole.MAIN, unnamed, null, true))
			.isEqualTo(new Leave(LeaveReason.NO_KEY, null));
		Leave alone = (Leave) decide(SHARDS, ResourceRole.MAIN, unnamed, null, false);
		assertThat(alone.warning()).contains("my-ring").contains("generateName is not supported");
	}

	@Test
	@DisplayName("83 assigned objects stay as they are, main and controlled")
	void leavesAssignedObjects() {
		Map<String, String> labels = Map.of(ShardingLabels.shard(RING), "shard-x");
		Leave assigned = new Leave(LeaveReason.ALREADY_ASSIGNED, null);
		assertThat(decide(SHARDS, ResourceRole.MAIN, SECRET, labels, false)).isEqualTo(assigned);
		assertThat(decide(SHARDS, ResourceRole.CONTROLLED, CONFIG_MAP, labels, false)).isEqualTo(assigned);
		assertThat(decide(null, null, SECRET, labels, false)).isEqualTo(assigned);
	}

	@Test
	@DisplayName("84 no available shard: admitted as it is")
	void leavesObjectsWithoutAvailableShard() {
		assertThat(decide(HashRing.of(List.of()), ResourceRole.MAIN, SECRET, null, true))
			.isEqualTo(new Leave(LeaveReason.NO_AVAILABLE_SHARD, null));
		Leave alone = (Leave) decide(HashRing.of(List.of()), ResourceRole.MAIN, SECRET, null, false);
		assertThat(alone.warning()).contains("no shard is available");
	}

	@Test
	@DisplayName("85 controlled object without controller: admitted as it is, without a warning")
	void leavesControlledObjectsWithoutController() {
		ObjectIdentity free = new ObjectIdentity("v1", "ConfigMap", "default", "foo", null,
				List.of(new OwnerRef("v1", "Secret", "foo", null, false)));
		assertThat(decide(SHARDS, ResourceRole.CONTROLLED, free, null, false))
			.isEqualTo(new Leave(LeaveReason.NOT_SHARDED, null));
	}

	@Test
	@DisplayName("86 object without labels: labels are made, and a controlled object follows its controller")
	void assignsObjectsWithoutLabels() {
		String shard = SHARDS.shardFor(new ShardingKey("", "Secret", "default", "foo"));
		Assign expected = new Assign(shard, AdmissionPatch.assign(RING, shard, false));
		assertThat(decide(SHARDS, ResourceRole.MAIN, SECRET, null, true)).isEqualTo(expected);
		assertThat(decide(SHARDS, ResourceRole.MAIN, SECRET, Map.of(), true)).isEqualTo(expected);
		assertThat(decide(SHARDS, ResourceRole.CONTROLLED, CONFIG_MAP, null, true)).isEqualTo(expected);
		ObjectIdentity unnamed = new ObjectIdentity("v1", "ConfigMap", "default", null, "foo-",
				CONFIG_MAP.ownerReferences());
		assertThat(decide(SHARDS, ResourceRole.CONTROLLED, unnamed, null, true)).isEqualTo(expected);
	}

	@Test
	@DisplayName("87 labels that are there are kept; an empty shard label counts as none")
	void keepsLabels() {
		String shard = SHARDS.shardFor(new ShardingKey("", "Secret", "default", "foo"));
		Assign expected = new Assign(shard, AdmissionPatch.assign(RING, shard, true));
		assertThat(decide(SHARDS, ResourceRole.MAIN, SECRET, Map.of("a", "b"), true)).isEqualTo(expected);
		assertThat(decide(SHARDS, ResourceRole.MAIN, SECRET, Map.of(ShardingLabels.shard(RING), ""), true))
			.isEqualTo(expected);
	}

	@Test
	@DisplayName("A main object that is not new may be between two owners: what it controls gets its label first")
	void leavesTheHandOverToTheWatch() {
		assertThat(updated(true, true)).isEqualTo(new Leave(LeaveReason.HAND_OVER, null));
		assertThat(updated(true, false)).isInstanceOf(Assign.class);
		assertThat(updated(false, true)).isInstanceOf(Assign.class);
	}

	@Test
	void saysThatAnObjectWasCreatedForItsShardIfSomebodyWantsToKnow() {
		String shard = SHARDS.shardFor(new ShardingKey("", "Secret", "default", "foo"));
		assertThat(created(ResourceRole.MAIN, true, true))
			.isEqualTo(new Assign(shard, AdmissionPatch.assignFirst(RING, shard, true)));
		assertThat(created(ResourceRole.MAIN, false, false))
			.isEqualTo(new Assign(shard, AdmissionPatch.assign(RING, shard, true)));
		assertThat(created(ResourceRole.MAIN, false, true))
			.isEqualTo(new Assign(shard, AdmissionPatch.assign(RING, shard, true)));
		assertThat(AdmissionPatch.assignFirst(RING, shard, false))
			.contains("{\"op\":\"add\",\"path\":\"/metadata/labels/first.sharding.dev~1" + RING
					+ "\",\"value\":\"created\"}");
	}

	private static AdmissionDecision created(ResourceRole role, boolean hasControlled, boolean creating) {
		return AdmissionDecision
			.of(new AdmissionFacts(RING, SHARDS, true, role, hasControlled, SECRET, Map.of("a", "b"), true, creating));
	}

	@Test
	void leavesToTheWatchWhatWouldGoToTheShardsOfThePast() {
		assertThat(ofThePast(true, Map.of())).isEqualTo(new AdmissionDecision.Leave(LeaveReason.RING_OLD, null));
		// Without a watch nobody would come for long, nor for a controlled object.
		assertThat(ofThePast(false, Map.of())).isInstanceOf(AdmissionDecision.Assign.class);
		assertThat(AdmissionDecision.of(new AdmissionFacts(RING, SHARDS, false, ResourceRole.CONTROLLED, false,
				CONFIG_MAP, Map.of(), true, true)))
			.isInstanceOf(AdmissionDecision.Assign.class);
		assertThat(ofThePast(true, Map.of(ShardingLabels.shard(RING), "shard-a")))
			.isEqualTo(new AdmissionDecision.Leave(LeaveReason.ALREADY_ASSIGNED, null));
	}

	private static AdmissionDecision ofThePast(boolean watching, Map<String, String> labels) {
		return AdmissionDecision
			.of(new AdmissionFacts(RING, SHARDS, false, ResourceRole.MAIN, true, SECRET, labels, watching, true));
	}

	private static AdmissionDecision updated(boolean watching, boolean hasControlled) {
		return AdmissionDecision.of(new AdmissionFacts(RING, SHARDS, true, ResourceRole.MAIN, hasControlled, SECRET,
				Map.of(), watching, false));
	}

	private static AdmissionDecision decide(@Nullable HashRing ring, @Nullable ResourceRole role, ObjectIdentity object,
			@Nullable Map<String, String> labels, boolean watching) {
		return AdmissionDecision.of(new AdmissionFacts(RING, ring, true, role, false, object, labels, watching, false));
	}

}
