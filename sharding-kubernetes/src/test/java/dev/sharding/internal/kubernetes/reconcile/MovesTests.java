package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;

class MovesTests {

	private static final GroupResource SECRETS = new GroupResource("", "secrets");

	private static final ObjectKey A = new ObjectKey("ns", "a");

	private static final ObjectKey B = new ObjectKey("ns", "b");

	private final AtomicLong nanos = new AtomicLong(-5);

	private final Moves moves = new Moves(InstantSource.fixed(Instant.EPOCH), this.nanos::get,
			new UserCode(new SimpleMeterRegistry(), System::nanoTime));

	@Test
	void whatIsThereWhenTheTermBeginsHasNotMoved() {
		this.moves.arrived(SECRETS, A);
		this.moves.begin();
		this.moves.reconciled(SECRETS, A);
		assertThat(this.moves.latest()).isEmpty();
	}

	@Test
	void tellsOnceWhenTheFirstReconcileOfAnArrivalHasEnded() {
		List<Move> heard = new CopyOnWriteArrayList<>();
		this.moves.begin();
		this.moves.addListener((move) -> {
			throw new IllegalStateException("planned");
		});
		this.moves.addListener(heard::add);
		this.moves.arrived(SECRETS, A);
		this.nanos.addAndGet(10);
		this.moves.arrived(SECRETS, A);
		this.nanos.addAndGet(20);
		this.moves.reconciled(SECRETS, A);
		this.moves.reconciled(SECRETS, A);
		assertThat(this.moves.latest())
			.containsExactly(new Move(SECRETS, A, Move.Kind.TAKEN_OVER, Instant.EPOCH, Duration.ofNanos(30)));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(heard).isEqualTo(this.moves.latest()));
	}

	@Test
	void measuresADrainFromItsLabelToItsAcknowledgement() {
		this.moves.begin();
		this.moves.drainSeen(SECRETS, A);
		this.nanos.addAndGet(5);
		this.moves.drainSeen(SECRETS, B);
		this.nanos.addAndGet(5);
		this.moves.drainSeen(SECRETS, A);
		assertThat(this.moves.drains()).extracting(Moves.Drain::key).containsExactly(A, B);
		assertThat(this.moves.drains().get(0).waiting()).isEqualTo(Duration.ofNanos(10));
		long since = this.moves.drainSince(SECRETS, A);
		// The watch may tell before the answer does.
		this.moves.settled(SECRETS, A, true);
		this.moves.drained(SECRETS, A, since);
		assertThat(this.moves.drains()).extracting(Moves.Drain::key).containsExactly(B);
		assertThat(this.moves.latest()).singleElement().satisfies((move) -> {
			assertThat(move.kind()).isEqualTo(Move.Kind.DRAINED);
			assertThat(move.took()).isEqualTo(Duration.ofNanos(10));
		});
	}

	@Test
	void forgetsDrainsThatAreTakenBackAndObjectsThatAreGone() {
		this.moves.begin();
		this.moves.arrived(SECRETS, A);
		this.moves.drainSeen(SECRETS, A);
		this.moves.settled(SECRETS, A, false);
		assertThat(this.moves.drains()).isEmpty();
		this.moves.settled(SECRETS, A, true);
		this.moves.reconciled(SECRETS, A);
		assertThat(this.moves.latest()).isEmpty();
	}

	@Test
	void remembersTheLatestMoves() {
		this.moves.begin();
		for (int i = 0; i <= Moves.REMEMBERED; i++) {
			this.moves.drained(SECRETS, new ObjectKey("ns", "s-" + i), this.nanos.get());
		}
		assertThat(this.moves.latest()).hasSize(Moves.REMEMBERED);
		assertThat(this.moves.latest().get(0).key().name()).isEqualTo("s-100");
		assertThat(this.moves.latest()).extracting((move) -> move.key().name()).doesNotContain("s-0");
	}

}
