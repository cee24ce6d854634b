package dev.sharding.internal.kubernetes.lease;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseStatus.Phase;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scenarios 125 to 127 of the protocol, and what else can happen to a Lease.
 */
class LeaseHolderIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final RenewalTimings TIMINGS = new RenewalTimings(Duration.ofSeconds(6), Duration.ofSeconds(4),
			Duration.ofMillis(500), 1.2);

	private static final int SECONDS = 6;

	/** A machine that stands still for some seconds costs no holder such a Lease. */
	private static final RenewalTimings PATIENT = RenewalTimings.DEFAULTS;

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	private final String namespace;

	private final List<AutoCloseable> open = new ArrayList<>();

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private volatile LeaseTerm lastTerm;

	LeaseHolderIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.client = client;
		this.namespace = namespace;
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable closeable : this.open) {
			closeable.close();
		}
	}

	@Test
	void createsAndRenewsWithTheSameAcquireTime() {
		LeaseHolder holder = holder("s125", PATIENT).start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		LeaseSpec created = spec("s125");
		assertThat(created.getHolderIdentity()).isEqualTo("s125");
		assertThat(created.getLeaseDurationSeconds()).isEqualTo((int) PATIENT.leaseDuration().toSeconds());
		assertThat(created.getLeaseTransitions()).isZero();
		assertThat(labels("s125")).containsEntry(ShardingLabels.LEASE_RING, "ring");
		assertThat(annotations("s125")).containsEntry(ShardingLabels.INSTANCE_ID, holder.config().instanceId());
		soon().untilAsserted(() -> {
			assertThat(spec("s125").getRenewTime()).isAfter(created.getRenewTime());
			assertThat(spec("s125").getAcquireTime()).isEqualTo(created.getAcquireTime());
		});
	}

	@Test
	void waitsWhileTheSharderHoldsTheLeaseAndThenTakesItOver() {
		ZonedDateTime now = Instant.now().atZone(ZoneOffset.UTC);
		create("s126",
				(lease) -> lease.withNewSpec()
					.withHolderIdentity(ShardingLabels.SHARDER_IDENTITY)
					.withLeaseDurationSeconds(3)
					.withAcquireTime(now)
					.withRenewTime(now)
					.withLeaseTransitions(1)
					.endSpec());
		LeaseHolder holder = holder("s126").start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(Duration.between(now.toInstant(), Instant.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
		assertThat(spec("s126").getHolderIdentity()).isEqualTo("s126");
		// An acquire whose answer was late is tried again, and then counted twice.
		assertThat(spec("s126").getLeaseTransitions()).isGreaterThanOrEqualTo(2);
	}

	@Test
	void releaseClearsTheHolderAndKeepsLabels() {
		LeaseHolder holder = holder("s127", PATIENT).start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		label("s127", ShardingLabels.LEASE_STATE, "ready");
		assertThat(holder.release()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(spec("s127").getHolderIdentity()).isEmpty();
		assertThat(spec("s127").getLeaseDurationSeconds()).isEqualTo(1);
		assertThat(labels("s127")).containsEntry(ShardingLabels.LEASE_RING, "ring")
			.containsEntry(ShardingLabels.LEASE_STATE, "ready");
		assertThat(holder.status().phase()).isEqualTo(Phase.STOPPED);
		soon().untilAsserted(() -> assertThat(this.heard).containsExactly("s127 acquired 1"));
	}

	@Test
	void survivesTheConflictThatALabelCauses() {
		LeaseHolder holder = holder("conflict", PATIENT).start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		ZonedDateTime before = spec("conflict").getRenewTime();
		label("conflict", ShardingLabels.LEASE_STATE, "ready");
		soon().untilAsserted(() -> assertThat(spec("conflict").getRenewTime()).isAfter(before.plusSeconds(2)));
		assertThat(labels("conflict")).containsEntry(ShardingLabels.LEASE_STATE, "ready");
		assertThat(this.heard).containsExactly("conflict acquired 1");
	}

	@Test
	void isLostAtTheDeadlineWhileCallsHangAndJoinsAgain() {
		LeaseHolder holder = holder("hung").start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		this.controlPlane.apiServer().process().pause();
		try {
			soon().until(() -> holder.term().isEmpty() && this.heard.contains("hung lost 1"));
			LeaseTerm term = this.lastTerm;
			Duration since = LeaseClock.SYSTEM.now().since(term.renewed());
			assertThat(since).isGreaterThanOrEqualTo(TIMINGS.renewDeadline());
			assertThat(this.heard).containsExactly("hung acquired 1", "hung lost 1");
		}
		finally {
			this.controlPlane.apiServer().process().resume();
		}
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		soon().untilAsserted(
				() -> assertThat(this.heard).startsWith("hung acquired 1", "hung lost 1", "hung acquired 2"));
		assertThat(spec("hung").getLeaseTransitions()).isPositive();
	}

	@Test
	void aRestartUnderTheSameNameWaitsUntilItSawOneDurationPass() {
		LeaseHolder first = holder("restart").start();
		assertThat(first.held()).succeedsWithin(Duration.ofSeconds(60));
		first.close();
		// A renewal that is under way may land when the second looks already.
		AtomicReference<ZonedDateTime> renewed = new AtomicReference<>();
		soon().during(TIMINGS.renewDeadline().dividedBy(2)).until(() -> {
			ZonedDateTime now = spec("restart").getRenewTime();
			return now.equals(renewed.getAndSet(now));
		});
		Instant began = Instant.now();
		LeaseHolder second = holder("restart").start();
		assertThat(second.held()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(Duration.between(began, Instant.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(SECONDS));
		assertThat(annotations("restart")).containsEntry(ShardingLabels.INSTANCE_ID, second.config().instanceId());
	}

	@Test
	void aRestartAfterAReleaseDoesNotWait() {
		LeaseHolder first = holder("released", PATIENT).start();
		assertThat(first.held()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(first.release()).succeedsWithin(Duration.ofSeconds(60));
		LeaseHolder second = holder("released", PATIENT).start();
		assertThat(second.held()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(spec("released").getLeaseTransitions()).isEqualTo(1);
	}

	@Test
	void theSecondProcessOfOneNameFailsAndTheFirstGoesOn() {
		LeaseHolder first = holder("twice", PATIENT).start();
		assertThat(first.held()).succeedsWithin(Duration.ofSeconds(60));
		LeaseHolder second = holder("twice", PATIENT).start();
		assertThat(second.held()).failsWithin(Duration.ofSeconds(60))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(DuplicateShardNameException.class);
		assertThat(first.term()).isPresent();
		assertThat(annotations("twice")).containsEntry(ShardingLabels.INSTANCE_ID, first.config().instanceId());
	}

	@Test
	void aForeignInstanceIdMeansLost() {
		LeaseHolder holder = holder("foreign").start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		edit("foreign",
				(lease) -> lease.editMetadata().addToAnnotations(ShardingLabels.INSTANCE_ID, "other").endMetadata());
		soon().untilAsserted(() -> assertThat(this.heard).startsWith("foreign acquired 1", "foreign lost 1"));
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		assertThat(annotations("foreign")).containsEntry(ShardingLabels.INSTANCE_ID, holder.config().instanceId());
	}

	@Test
	void aLeaseDeletedByHandIsLostAndCreatedAgain() {
		LeaseHolder holder = holder("deleted").start();
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(60));
		lease("deleted").delete();
		soon().untilAsserted(
				() -> assertThat(this.heard).startsWith("deleted acquired 1", "deleted lost 1", "deleted acquired 2"));
		assertThat(spec("deleted").getHolderIdentity()).isEqualTo("deleted");
	}

	@Test
	void aMissingRightIsReportedAndHealsByItself() {
		Access user = this.controlPlane.userIn("leases-reader", this.namespace,
				new PolicyRuleBuilder().withApiGroups("coordination.k8s.io")
					.withResources("leases")
					.withVerbs("get")
					.build());
		LeaseHolder holder = holder("forbidden", user.client().getConfiguration()).start();
		soon().untilAsserted(() -> assertThat(holder.status().lastError())
			.startsWith("Failed to acquire Lease " + this.namespace + "/forbidden: 403 Forbidden"));
		this.client.rbac().clusterRoles().withName("sharding-test-leases-reader").edit((role) -> {
			role.getRules().get(0).setVerbs(List.of("get", "create", "update"));
			return role;
		});
		assertThat(holder.held()).succeedsWithin(Duration.ofSeconds(90));
		soon().untilAsserted(() -> assertThat(holder.status().lastError()).isNull());
	}

	private Startable holder(String shard) {
		return holder(shard, this.client.getConfiguration());
	}

	private Startable holder(String shard, RenewalTimings timings) {
		return holder(shard, this.client.getConfiguration(), timings);
	}

	private Startable holder(String shard, Config config) {
		return holder(shard, config, TIMINGS);
	}

	private Startable holder(String shard, Config config, RenewalTimings timings) {
		KubernetesClient own = LeaseClients.create(config, timings);
		LeaseHolder holder = new LeaseHolder(LeaseHolderConfig.shard(this.namespace, "ring", shard, timings), own,
				new SimpleMeterRegistry(), LeaseClock.SYSTEM, () -> false);
		this.open.add(holder);
		this.open.add(own);
		holder.addListener(new LeaseListener() {
			@Override
			public void acquired(LeaseTerm term) {
				LeaseHolderIT.this.heard.add(shard + " acquired " + term.number());
			}

			@Override
			public void lost(LeaseTerm term, String reason) {
				LeaseHolderIT.this.lastTerm = term;
				LeaseHolderIT.this.heard.add(shard + " lost " + term.number());
			}
		});
		return () -> {
			holder.start();
			return holder;
		};
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

	private Resource<Lease> lease(String name) {
		return this.client.leases().inNamespace(this.namespace).withName(name);
	}

	private LeaseSpec spec(String name) {
		return lease(name).get().getSpec();
	}

	private Map<String, String> labels(String name) {
		return lease(name).get().getMetadata().getLabels();
	}

	private Map<String, String> annotations(String name) {
		return lease(name).get().getMetadata().getAnnotations();
	}

	private void create(String name, UnaryOperator<LeaseBuilder> content) {
		LeaseBuilder lease = new LeaseBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.endMetadata();
		this.client.resource(content.apply(lease).build()).create();
	}

	private void label(String name, String key, String value) {
		edit(name, (lease) -> lease.editMetadata().addToLabels(key, value).endMetadata());
	}

	/**
	 * Sends only the change, so that it succeeds whatever the holder writes meanwhile.
	 */
	private void edit(String name, UnaryOperator<LeaseBuilder> change) {
		lease(name).edit((lease) -> {
			lease.getMetadata().setResourceVersion(null);
			return change.apply(new LeaseBuilder(lease)).build();
		});
	}

	/** A holder that was not started. */
	private interface Startable {

		LeaseHolder start();

	}

}
