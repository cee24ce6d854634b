package dev.sharding.shard;

import java.util.Base64;
import java.util.Random;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.core.slot.SlotDecision.Reason;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Caches of a slot that fill slowly, or not at all.
 */
@ControlPlaneTest
class SlotFillsIT {

	private static final int BYTES_PER_SECOND = 20_000;

	private final SlotShards slots;

	SlotFillsIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.slots = new SlotShards(controlPlane, client, namespace).patient();
	}

	@AfterEach
	void close() throws Exception {
		this.slots.close();
	}

	@Test
	void aCandidateThatMayNotListIsNotReady() throws Exception {
		TcpProxy refusing = this.slots.link();
		Config access = this.slots.controlPlane.admin().through(refusing).config();
		refusing.refuse();
		KubernetesClient data = new KubernetesClientBuilder().withConfig(access).build();
		this.slots.open.add(data);
		Shard shard = this.slots.shard("pod", this.slots.options("pod", 1), data,
				this.slots.world.client.getConfiguration());
		shard.start();
		ShardWorld.soon()
			.until(() -> shard.standby().filter((standby) -> standby.lastError() != null).isPresent()
					|| shard.phase() == RuntimePhase.SYNCING);
		assertThat(shard.standby().filter(StandbyStatus::ready)).isEmpty();
		refusing.heal();
		this.slots.world.awaitPhase(shard, RuntimePhase.RUNNING);
	}

	@Test
	void aCandidateThatMayNotReadItsRingIsNotReady() {
		Access user = this.slots.controlPlane.user(this.slots.world.ring,
				rule("coordination.k8s.io", "leases", "get", "list", "watch", "create", "update"),
				rule("", "secrets", "get", "list", "watch", "patch"),
				rule("", "configmaps", "get", "list", "watch", "patch"));
		Shard shard = this.slots.shard("pod", this.slots.options("pod", 1), user.client(), user.config());
		shard.start();
		ShardWorld.soon()
			.until(() -> shard.standby().map(StandbyStatus::lastError).orElse(null),
					(error) -> error != null && error.contains("controllerrings"));
		assertThat(shard.standby().orElseThrow().ready()).isFalse();
	}

	@Test
	void aSlotWhoseListTakesLongIsFilledAtTheFirstAttempt() {
		startWithSlowLists("pod", this.slots.link());
		this.slots.awaitReconciled("pod", "a");
		assertThat(this.slots.slotLease(0).record().leaseTransitions()).isZero();
	}

	@Test
	void aSlotGoesToAnotherCandidateWhenItsHolderIsCutOffWhileItFills() {
		TcpProxy link = this.slots.link();
		Shard first = startWithSlowLists("first", link);
		this.slots.world.awaitPhase(first, RuntimePhase.SYNCING);
		Shard second = this.slots.start("second", 1);
		ShardWorld.soon().until(() -> SlotShards.reason(second) == Reason.ALL_HELD);
		link.refuse();
		this.slots.awaitReconciled("second", "a");
		assertThat(first.phase()).isEqualTo(RuntimePhase.STANDBY);
	}

	@Test
	void aCacheThatNobodyDeclaredAndThatNeverFillsKeepsNoSlotFromBeingServed() {
		Shard holder = this.slots.start("holder", 1);
		ShardWorld.soon().until(() -> SlotShards.running(holder).size() == 1);
		Shard candidate = this.slots.start("candidate", 1);
		candidate.caches()
			.of(ResourceType.of(new ResourceDefinitionContext.Builder().withGroup("nowhere.example.com")
				.withVersion("v1")
				.withKind("Thing")
				.withPlural("things")
				.withNamespaced(true)
				.build()));
		holder.close();
		ShardWorld.soon().until(() -> SlotShards.running(candidate).size() == 1);
	}

	private Shard startWithSlowLists(String pod, TcpProxy link) {
		largeSecretOfSlot(0, "a");
		link.throttle(BYTES_PER_SECOND);
		Shard shard = this.slots.through(link, pod);
		shard.start();
		return shard;
	}

	/** Takes about 15 s, with or without compression, at so many bytes a second. */
	private void largeSecretOfSlot(int slot, String name) {
		byte[] random = new byte[9 * BYTES_PER_SECOND];
		new Random(1).nextBytes(random);
		this.slots.world.client
			.resource(new SecretBuilder().withMetadata(this.slots.metadata(slot, name))
				.addToData("random", Base64.getEncoder().encodeToString(random))
				.build())
			.create();
	}

	private static PolicyRule rule(String group, String resource, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resource).withVerbs(verbs).build();
	}

}
