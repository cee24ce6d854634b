package dev.sharding.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.judge.Counter;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Programs that have a fault, which comes into effect at a point where it is certain to:
 * the judge must see each, and take it for no other that is unlawful. Where it did not,
 * its zeros elsewhere would mean nothing.
 */
class NegativeControlsIT {

	private static World world;

	@BeforeAll
	static void open() throws Exception {
		world = World.open("negative-controls", 60);
	}

	@AfterAll
	static void close() throws Exception {
		if (world != null) {
			world.close();
		}
	}

	@Test
	@Tag("long")
	void seesShardsThatAcknowledgeBeforeTheirReconcileEnded() throws Exception {
		assertThat(unlawful(play(Fault.ACK, (world) -> {
			// So that nothing else is on its way when the objects change hands.
			world.writer().stopUpdates();
			world.accidents().reconcileBeyondHandOver("s3", () -> world.cast().enterShard(world.shard("s3")));
		}))).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
	}

	@Test
	void seesMainObjectsThatMoveBeforeWhatTheyControlAndKeepsWhatItSaw() {
		world.cast(Fault.ORDER, World.HELD_SHARD);
		assertThatThrownBy(() -> world.playWithoutFinding("break-ORDER", NegativeControlsIT::join))
			.isInstanceOfSatisfying(AssertionError.class, (error) -> {
				assertThat(error).hasMessageContaining(Counter.MOVED_BEFORE_DERIVED.toString());
				String message = error.getMessage();
				Path kept = Path.of(message.substring(message.lastIndexOf(' ') + 1));
				assertThat(kept.resolve("audit.jsonl")).isNotEmptyFile();
				assertThat(kept.resolve("kube-apiserver.log")).exists();
				assertThat(kept.resolve("sharder.log")).isNotEmptyFile();
			});
	}

	@Test
	@Tag("long")
	void seesShardsThatWriteWithoutTheirLease() throws Exception {
		world.cast(Fault.FENCE, World.HELD_SHARD);
		// As long as no sharder runs nobody else can have the Lease: no harm.
		assertThat(unlawful(world.play("break-FENCE-late", NegativeControlsIT::writeBeforeAnybodyHasTheLease)))
			.containsOnlyKeys(Counter.LATE_WRITES);
		// Then it has the Lease, and the object is still nobody else's.
		assertThat(unlawful(world.play("break-FENCE", NegativeControlsIT::writeBeforeAnybodyHasTheObject)))
			.containsOnlyKeys(Counter.WRITES_AFTER_LEASE_END);
	}

	private static void writeBeforeAnybodyHasTheLease(World world) throws Exception {
		String secret = world.accidents().holdReconcile("s1");
		Actor sharder = world.cast().actor("sharder");
		world.holds().hold("written", secret);
		world.marks().disturb(Marks.ALL, () -> {
			sharder.pause();
			world.leaseLink().pause();
			Waiting.until("the end of the Lease of s1", Duration.ofSeconds(60),
					() -> endOfLease(world).plusSeconds(8).isBefore(Instant.now()));
			world.holds().release("reconcile", secret);
			world.holds().awaitReached("written", secret, "s1");
			world.leaseLink().heal();
			Waiting.until("s1 to have its Lease again", Duration.ofSeconds(60),
					() -> endOfLease(world).isAfter(Instant.now()));
			sharder.resume();
			world.holds().releaseAll();
			world.cast().awaitAvailable();
			world.settle();
		});
	}

	private static Instant endOfLease(World world) {
		LeaseSpec lease = world.admin().leases().inNamespace(Names.NAMESPACE).withName("s1").get().getSpec();
		return lease.getRenewTime().toInstant().plusSeconds(lease.getLeaseDurationSeconds());
	}

	private static void writeBeforeAnybodyHasTheObject(World world) throws Exception {
		String secret = world.accidents().holdReconcile("s1");
		world.holds().hold("written", secret);
		world.holds().hold("move", secret);
		world.marks().disturb(Marks.ALL, () -> {
			world.leaseLink().pause();
			world.holds().awaitReached("move", secret);
			world.holds().release("reconcile", secret);
			world.holds().awaitReached("written", secret, "s1");
			world.leaseLink().heal();
			world.holds().releaseAll();
			world.cast().awaitHeld();
			world.settle();
		});
		// What it has written is that of an earlier version.
		world.writer().change(secret);
	}

	@Test
	@Tag("long")
	void seesShardsThatGoOnAfterALostLeaseAsIfNothingWas() throws Exception {
		assertThat(unlawful(play(Fault.REJOIN, (world) -> {
			// A write for what was deleted meanwhile hurts nobody, so it is another
			// finding.
			world.writer().stopUpdates();
			world.accidents().rejoinBlind("s1", world.leaseLink(), world.readLink(), true);
		}))).containsOnlyKeys(Counter.DOUBLE_RECONCILED);
	}

	@Test
	@Tag("long")
	void seesAShardThatReadsWhatOthersHave() throws Exception {
		assertThat(unlawful(play(Fault.NONE, (world) -> {
			world.cast().enterShard(Fault.NOSY.shard(world.shard("s3")));
			world.cast().awaitHeld();
		}))).containsOnlyKeys(Counter.READS_OF_OTHERS);
	}

	@Test
	void seesWhatIsDoneTooLateAndASharderThatActsWithoutALead() throws Exception {
		assertThat(play(Fault.LAZY, (world) -> {
			world.holds().hold("any", "work");
			join(world);
			// On a busy machine a delay must be longer before it is one.
			Instant begun = Instant.now();
			Waiting.until("the judge to see what nobody does", Duration.ofMinutes(3), () -> {
				// The judge is one of those who make the machine busy.
				Waiting.pause(Duration.ofSeconds(1));
				return world.found().keySet().containsAll(Set.of(Counter.UNTOUCHED, Counter.UNSERVED));
			});
			// The rush of what was held up makes a bare client slower, and so the bounds
			// longer.
			Waiting.pause(Duration.between(begun, Instant.now()));
			world.holds().releaseAll();
			Role lawless = Role.of("lawless")
				.running("dev.sharding.demo.broken.LawlessSharder")
				.with("DEMO_RING", Names.RING)
				.with("DEMO_VICTIM", "s1");
			assertThat(world.stage().startSharder(lawless).awaitEnd(Duration.ofMinutes(1))).isTrue();
			world.cast().awaitHeld();
		})).containsKeys(Counter.UNTOUCHED, Counter.UNSERVED, Counter.TAKEN_FROM_LIVE_OWNER, Counter.LEASE_STOLEN,
				Counter.ACTED_WITHOUT_LEAD);
	}

	private static void join(World world) throws Exception {
		world.cast().enterShard(world.shard("s3"));
		world.cast().awaitHeld();
	}

	/** Without what was late only, as the plays beside it may be the reason for that. */
	private static Map<Counter, List<String>> unlawful(Map<Counter, List<String>> found) {
		Map<Counter, List<String>> unlawful = new EnumMap<>(Counter.class);
		unlawful.putAll(found);
		unlawful.keySet().removeAll(Set.of(Counter.UNASSIGNED, Counter.UNSERVED, Counter.UNTOUCHED));
		return unlawful;
	}

	private static Map<Counter, List<String>> play(Fault fault, World.Action accident) throws Exception {
		world.cast(fault, World.HELD_SHARD);
		return world.play("break-" + fault, accident);
	}

}
