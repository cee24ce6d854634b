package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens to shards, whether they have the names of their processes or slots: where
 * a play says s2 it means that process.
 */
final class ShardPlays {

	private ShardPlays() {
	}

	static void pauseAndSleep(World world) throws IOException {
		world.accidents().holdReconcile("s1");
		world.accidents().pauseInReconcile("s2");
	}

	static void hang(World world) throws IOException {
		world.accidents().hangRenewal("s1", world.leaseLink());
	}

	static void rejoin(World world) throws IOException {
		world.accidents().rejoinBlind("s1", world.leaseLink(), world.readLink(), false);
	}

	/** With slots it has none until its reads are answered: it is never a blind shard. */
	static void standByBlind(World world) throws IOException {
		String process = world.cast().actor("s1").user();
		world.accidents().holdReconcile("s1");
		world.marks().disturbed(process);
		world.readLink().pause();
		world.leaseLink().pause();
		try {
			world.accidents().awaitTakenFrom("s1");
			world.holds().releaseAll();
			world.leaseLink().heal();
			Waiting.pause(Names.LEASE.multipliedBy(3));
			assertThat(world.board().held(Set.of("s1"))).isFalse();
		}
		finally {
			world.leaseLink().heal();
			world.readLink().heal();
			world.holds().releaseAll();
			world.marks().calm(process);
		}
		world.cast().awaitHeld();
		world.cast().awaitAvailable();
	}

	static void pauseApiServer(World world) throws Exception {
		// What is on its way into a paused server is sent in time and arrives too
		// late: nothing that a client can prevent.
		world.writer().stopUpdates();
		world.accidents().holdReconcile("s1");
		Waiting.pause(Duration.ofSeconds(1));
		world.probe().pause();
		world.marks().disturbed(Marks.ALL);
		world.marks().stopped(Marks.ALL, 0);
		world.stage().apiServer().process().pause();
		try {
			// The reconcile goes on when the Lease has ended: were it to write, the
			// server would find that when it wakes.
			Waiting.pause(Names.LEASE.plusSeconds(1));
			world.holds().letGo();
			Waiting.pause(Duration.ofSeconds(1));
		}
		finally {
			world.stage().apiServer().process().resume();
			world.marks().resumed(Marks.ALL);
			world.marks().calm(Marks.ALL);
			world.holds().releaseAll();
			world.probe().resume();
		}
		world.writer().startUpdates();
		world.cast().awaitHeld();
		world.cast().awaitAvailable();
	}

	static void drain(World world) throws IOException {
		String secret = world.movesToThird();
		String owner = world.board().ownerOf(secret);
		world.holds().hold("reconcile", secret);
		world.writer().change(secret);
		world.holds().awaitReached("reconcile", secret);
		world.cast().enterShard(world.shard("s3"));
		Waiting.until("the drain of " + secret, Duration.ofMinutes(4), () -> world.board().draining(secret));
		Waiting.pause(Duration.ofSeconds(1));
		assertThat(world.board().ownerOf(secret)).isEqualTo(owner);
		world.holds().releaseAll();
		world.settle();
		// And gracefully back, under load.
		Actor leaving = world.cast().dismiss("s3");
		leaving.terminate();
		world.settle();
		assertThat(leaving.awaitEnd(Duration.ofMinutes(1))).isTrue();
	}

	static void killAcknowledging(World world) throws IOException {
		String before = world.movesToThird("s1");
		String after = world.movesToThird("s2");
		world.holds().hold("acknowledge", before);
		world.holds().hold("acknowledged", after);
		world.cast().enterShard(world.shard("s3"));
		world.holds().awaitReached("acknowledge", before);
		world.holds().awaitReached("acknowledged", after);
		assertThat(world.board().ownerOf(before)).isEqualTo("s1");
		world.cast().dismiss("s1").kill();
		world.cast().dismiss("s2").kill();
		world.holds().releaseAll();
	}

	static World.Action wrongClock(long millis) {
		return (world) -> {
			world.cast().dismiss("s2").kill();
			String before = world.board().instanceOf("s2");
			world.cast().enterShard(world.shard("s2").with("DEMO_CLOCK_OFFSET_MILLIS", String.valueOf(millis)));
			Waiting.until("s2 to hold its Lease", Duration.ofMinutes(4),
					() -> !world.board().instanceOf("s2").equals(before));
			world.cast().awaitAvailable();
			world.settle();
			world.accidents().sleepInReconcile("s2");
			world.settle();
			world.accidents().pauseInReconcile("s2");
			world.settle();
			world.cast().dismiss("s2").kill();
		};
	}

	static void deleteLease(World world) throws IOException {
		world.accidents().holdReconcile("s2");
		world.lease("s2").delete();
		Waiting.pause(Duration.ofSeconds(1));
		world.holds().releaseAll();
		world.cast().awaitHeld();
	}

	static void editLease(World world) throws IOException {
		world.accidents().holdReconcile("s2");
		edit(world, "{\"spec\":{\"holderIdentity\":\"somebody\"}}");
		Waiting.until("the edit to show", Duration.ofSeconds(60), () -> !world.board().held(Set.of("s2")));
		// It lives, so it has its Lease back before its objects could move: in a term
		// that what it holds up is not of.
		world.cast().awaitHeld();
		world.holds().releaseAll();
		world.cast().awaitAvailable();
		world.settle();
		// And its duration, while it is stopped in a reconcile.
		world.accidents().holdReconcile("s2");
		world.cast().actor("s2").pause();
		edit(world, "{\"spec\":{\"leaseDurationSeconds\":1}}");
		world.accidents().awaitTakenFrom("s2");
		world.cast().actor("s2").resume();
		world.holds().releaseAll();
		world.cast().awaitHeld();
		world.cast().awaitAvailable();
	}

	private static void edit(World world, String patch) {
		String lease = world.board().shardOf("s2");
		MergePatch.send(world.admin(),
				"/apis/coordination.k8s.io/v1/namespaces/" + Names.NAMESPACE + "/leases/" + lease, patch);
	}

	static void restartApiServer(World world) throws Exception {
		String secret = world.movesToThird();
		world.holds().hold("acknowledge", secret);
		world.cast().enterShard(world.shard("s3"));
		world.holds().awaitReached("acknowledge", secret);
		world.writer().stopUpdates();
		world.probe().pause();
		world.marks().disturbed(Marks.ALL);
		world.stage().apiServer().process().restart();
		world.marks().cut();
		world.lookAnew();
		world.probe().resume();
		world.holds().releaseAll();
		// No sharder leads and no watch tells until they have found it again.
		world.awaitLeader(Instant.now());
		world.cast().awaitHeld();
		world.settle();
		world.marks().calm(Marks.ALL);
		world.writer().startUpdates();
	}

}
