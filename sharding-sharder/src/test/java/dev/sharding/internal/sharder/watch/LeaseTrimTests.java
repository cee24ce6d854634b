package dev.sharding.internal.sharder.watch;

import java.util.HashMap;
import java.util.Map;

import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseTrimTests {

	private static final String LONG = "x".repeat(200_000);

	private final KubernetesSerialization serialization = new KubernetesSerialization();

	@Test
	void keepsALeaseOfUsualSizeAsItIs() {
		Lease lease = new LeaseBuilder(shard()).editMetadata()
			.addToAnnotations("example.com/note", "x".repeat(2_000))
			.addToFinalizers("example.com/keep")
			.endMetadata()
			.build();
		Lease trimmed = trimmed(lease);
		assertThat(trimmed).isEqualTo(lease);
		assertThat(LeaseTrim.isTrimmed(trimmed)).isFalse();
	}

	@Test
	void keepsOfALargeOneWhatTheSharderReads() {
		Lease trimmed = trimmed(new LeaseBuilder(shard()).editMetadata()
			.addToAnnotations("example.com/note", LONG)
			.endMetadata()
			.build());
		assertThat(size(trimmed)).isLessThan(2 * LeaseTrim.USUAL_SIZE);
		assertThat(LeaseTrim.isTrimmed(trimmed)).isTrue();
		assertThat(LeaseTrim.isTrimmed(new LeaseBuilder(trimmed).build())).isTrue();
		assertThat(LeaseRecords.slotLease(trimmed)).isEqualTo(LeaseRecords.slotLease(shard()));
		assertThat(trimmed.getMetadata().getLabels()).isEqualTo(shard().getMetadata().getLabels());
	}

	@Test
	void boundsWhateverMayBeLong() {
		Map<String, String> labels = new HashMap<>();
		for (int i = 0; i < 5_000; i++) {
			labels.put("example.com/label-" + i, "value");
		}
		LeaseBuilder large = new LeaseBuilder(shard()).editMetadata()
			.addToLabels(labels)
			.addToAnnotations(ShardingLabels.SETTLED, LONG)
			.addToAnnotations(ShardingLabels.CORDONED, LONG)
			.endMetadata()
			.editSpec()
			.withHolderIdentity(LONG)
			.withPreferredHolder(LONG)
			.withStrategy(LONG)
			.endSpec();
		for (int i = 0; i < 1_000; i++) {
			large.editMetadata()
				.addToFinalizers("example.com/finalizer-" + i)
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("ConfigMap")
				.withName("owner-" + i)
				.withUid("uid-" + i)
				.endOwnerReference()
				.endMetadata();
		}
		Lease trimmed = trimmed(large.build());
		assertThat(size(trimmed)).isLessThan(2 * LeaseTrim.USUAL_SIZE);
		assertThat(LeaseRecords.of(trimmed).isHeldByItself()).isFalse();
		assertThat(ShardingLabels.isSet(trimmed.getMetadata().getAnnotations(), ShardingLabels.CORDONED)).isTrue();
	}

	@Test
	void boundsManyTextsThatAreShort() {
		Map<String, String> labels = new HashMap<>();
		for (int i = 0; i < 1_000; i++) {
			labels.put(Integer.toString(i, 36), "");
		}
		Lease trimmed = trimmed(new LeaseBuilder(shard()).editMetadata().addToLabels(labels).endMetadata().build());
		assertThat(trimmed.getMetadata().getLabels()).isEqualTo(shard().getMetadata().getLabels());
	}

	private static Lease trimmed(Lease lease) {
		Lease copy = new LeaseBuilder(lease).build();
		LeaseTrim.trim(copy);
		return copy;
	}

	private int size(Lease lease) {
		return this.serialization.asJson(lease).length();
	}

	private static Lease shard() {
		return new LeaseBuilder().withNewMetadata()
			.withNamespace("default")
			.withName("shard-a")
			.withUid("uid")
			.addToLabels(ShardingLabels.LEASE_RING, "my-ring")
			.addToLabels(ShardingLabels.LEASE_STATE, "ready")
			.addToLabels(ShardingLabels.POD, "pod-a")
			.addToAnnotations(ShardingLabels.INSTANCE_ID, "instance")
			.addToAnnotations(ShardingLabels.GRACE, "30")
			.addToAnnotations(ShardingLabels.GRACE_START, "2026-01-01T00:00:00Z")
			.addToAnnotations(ShardingLabels.GIVEN_BACK, "3/2026-01-01T00:00:00Z/uid")
			.addToAnnotations(ShardingLabels.TOUCH_DUE, "true")
			.addToAnnotations(ShardingLabels.SETTLED, "2026-01-01T00:00:00Z")
			.addToAnnotations(ShardingLabels.MADE_BY_SHARDER, "true")
			.addToAnnotations(ShardingLabels.TAKEN_BY_FORCE, "true")
			.addToAnnotations(ShardingLabels.CORDONED, "true")
			.addToAnnotations(ShardingLabels.STOPPING, "instance")
			.addToAnnotations(ShardingLabels.POD_TEMPLATE_HASH, "hash")
			.addToAnnotations(ShardingLabels.SLOTS, "3")
			.endMetadata()
			.withNewSpec()
			.withHolderIdentity("shard-a")
			.withLeaseDurationSeconds(15)
			.withLeaseTransitions(3)
			.endSpec()
			.build();
	}

}
