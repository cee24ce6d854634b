package dev.sharding.demo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.sharding.judge.Counter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The same accidents with programs that have a fault: the judge must see each. Where it
 * did not, its zeros elsewhere would mean nothing.
 */
class NegativeControlsIT {

	/* Whether such a write did harm, or was refused as another came first, is a race. */
	private static final Counter[] TOO_LATE = { Counter.DOUBLE_RECONCILED, Counter.WRITES_AFTER_LEASE_END,
			Counter.LATE_WRITES };

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
	void seesShardsThatAcknowledgeBeforeTheirReconcileEnded() throws Exception {
		assertThat(play(Fault.ACK, NegativeControlsIT::join).keySet()).containsAnyOf(TOO_LATE);
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
	void seesShardsThatWriteWithoutTheirLease() throws Exception {
		assertThat(play(Fault.FENCE, (world) -> world.accidents().hangRenewal("s1", world.leaseLink())).keySet())
			.containsAnyOf(TOO_LATE);
	}

	@Test
	void seesShardsThatGoOnAfterALostLeaseAsIfNothingWas() throws Exception {
		assertThat(
				play(Fault.REJOIN, (world) -> world.accidents().rejoinBlind("s1", world.leaseLink(), world.readLink()))
					.keySet())
			.containsAnyOf(TOO_LATE);
	}

	@Test
	void seesWhatIsDoneTooLateAndASharderThatActsWithoutALead() throws Exception {
		assertThat(play(Fault.LAZY, (world) -> {
			join(world);
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

	private static Map<Counter, List<String>> play(Fault fault, World.Action accident) throws Exception {
		world.cast(fault, World.HELD_SHARD);
		return world.play("break-" + fault, accident);
	}

}
