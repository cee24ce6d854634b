package dev.sharding.internal.sharder.activity;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.internal.sharder.activity.Action.Kind;
import dev.sharding.internal.sharder.activity.RingActivity.Listing;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RingActivityTests {

	private static final String SECRETS = "secrets";

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private final AtomicReference<Instant> now = new AtomicReference<>(START);

	private final RingActivity activity = new RingActivity(this.now::get);

	@Test
	void countsWhatAListShowsAndWhatWasDoneSince() {
		list("100", List.of("a", "a", "b", ""));
		assertThat(counts()).isEqualTo(Map.of("a", 2, "b", 1, "", 1));
		assertThat(this.activity.work().counts().get(SECRETS).since()).isEqualTo(START);
		this.activity.done(Kind.ASSIGNED, object("new"), null, "b", "101");
		this.activity.done(Kind.MOVED, object("moved"), "a", "b", "102");
		assertThat(counts()).isEqualTo(Map.of("a", 1, "b", 3, "", 0));
	}

	@Test
	void whatIsDoneWhileAListRunsCountsOnceWhicheverComesFirst() {
		Listing listing = this.activity.listing(SECRETS);
		this.activity.done(Kind.ASSIGNED, object("before"), null, "a", "99");
		this.activity.done(Kind.ASSIGNED, object("after"), null, "a", "101");
		listing.page("100", true, List.of("a", "b"));
		this.activity.done(Kind.MOVED, object("listed"), "b", "a", "102");
		this.activity.done(Kind.MOVED, object("late"), "b", "a", "98");
		listing.page("100", false, List.of("b"));
		listing.end(true);
		assertThat(counts()).isEqualTo(Map.of("a", 3, "b", 1));
	}

	@Test
	void aListThatIsIncompleteOrBeganAnewOrWasOvertakenChangesNothing() {
		list("100", List.of("a"));
		Listing stopped = this.activity.listing(SECRETS);
		stopped.page("200", true, List.of("b", "b"));
		stopped.end(false);
		Listing anew = this.activity.listing(SECRETS);
		anew.page("300", true, List.of("b", "b"));
		anew.page("400", true, List.of("b"));
		anew.end(true);
		Listing overtaken = this.activity.listing(SECRETS);
		list("500", List.of("a", "a"));
		overtaken.page("450", true, List.of("b"));
		overtaken.end(true);
		assertThat(counts()).isEqualTo(Map.of("a", 2));
	}

	@Test
	void aDrainLastsFromTheQuestionUntilItsOwnerLetsGo() {
		list("100", List.of("a"));
		this.activity.done(Kind.ASKED, object("s"), "a", null, "101");
		this.activity.draining(object("s"), "a");
		assertThat(this.activity.work().draining()).isEqualTo(Map.of("a", 1));
		assertThat(counts()).isEqualTo(Map.of("a", 1));
		// The watch of what has no owner may be first.
		this.activity.unowned(object("s"), null);
		this.activity.letGo(object("s"), "a", "102");
		assertThat(this.activity.work().draining()).isEmpty();
		this.activity.done(Kind.ASSIGNED, object("s"), null, "b", "103");
		assertThat(counts()).isEqualTo(Map.of("a", 0, "b", 1));
		assertThat(this.activity.work().latest()).extracting(Action::kind)
			.containsExactly(Kind.ASSIGNED, Kind.LET_GO, Kind.ASKED);
		assertThat(this.activity.work().latest()).extracting(Action::number).containsExactly(3L, 2L, 1L);
	}

	@Test
	void whatWasLetGoCountsOnceAlsoIfItIsAssignedBeforeTheWatchOfDrainsTellsOfIt() {
		list("100", List.of("a"));
		this.activity.draining(object("s"), "a");
		this.activity.unowned(object("s"), null);
		this.activity.done(Kind.ASSIGNED, object("s"), null, "b", "103");
		this.activity.letGo(object("s"), "a", "102");
		assertThat(counts()).isEqualTo(Map.of("a", 0, "b", 1));
		assertThat(this.activity.work().latest()).extracting(Action::kind).containsExactly(Kind.ASSIGNED, Kind.LET_GO);
		// Or of both the question and the answer.
		this.activity.done(Kind.ASSIGNED, object("t"), null, "b", "105");
		this.activity.draining(object("t"), "b");
		this.activity.letGo(object("t"), "b", "104");
		assertThat(counts()).isEqualTo(Map.of("a", 0, "b", 1));
	}

	@Test
	void whatTheLeaderTookFromADrainedShardIsNotLetGo() {
		list("100", List.of("a"));
		this.activity.draining(object("s"), "a");
		this.activity.done(Kind.MOVED, object("s"), "a", "b", "101");
		this.activity.letGo(object("s"), "a", "101");
		assertThat(counts()).isEqualTo(Map.of("a", 0, "b", 1));
	}

	@Test
	void anObjectIsWithoutOwnerSinceItWasSeenSoFirst() {
		this.activity.unowned(object("s"), "gone");
		this.now.set(START.plusSeconds(30));
		this.activity.unowned(object("s"), "gone");
		assertThat(this.activity.work().transits())
			.containsExactly(new Transit(object("s"), Transit.Kind.UNOWNED, "gone", START));
		assertThat(this.activity.work().unowned()).isOne();
		this.activity.settled(object("s"));
		assertThat(this.activity.work().unowned()).isZero();
	}

	@Test
	void whatTwoPassesDidNotSeeIsGone() {
		this.activity.unowned(object("deleted"), null);
		this.activity.unowned(object("there"), null);
		this.activity.passed();
		this.activity.unowned(object("there"), null);
		this.activity.passed();
		assertThat(this.activity.work().transits()).extracting(Transit::object).containsExactly(object("there"));
	}

	@Test
	void keepsTheLatestAndShowsTheOldestOfWhatIsOnTheMove() {
		for (int i = 0; i < RingActivity.SHOWN + 50; i++) {
			this.now.set(START.plus(Duration.ofSeconds(i)));
			this.activity.unowned(object("s-" + i), null);
			this.activity.done(Kind.ASSIGNED, object("t-" + i), null, "a", "1");
		}
		RingWork work = this.activity.work();
		assertThat(work.unowned()).isEqualTo(RingActivity.SHOWN + 50);
		assertThat(work.transits()).hasSize(RingActivity.SHOWN).first().extracting(Transit::since).isEqualTo(START);
		assertThat(work.latest()).hasSize(RingActivity.LATEST)
			.first()
			.extracting(Action::object)
			.isEqualTo(object("t-" + (RingActivity.SHOWN + 49)));
	}

	@Test
	void controlledObjectsAreCountedOnly() {
		this.activity.changed("configmaps", null, "a", "1");
		assertThat(this.activity.work().latest()).isEmpty();
		assertThat(this.activity.work().counts().get("configmaps").byShard()).isEqualTo(Map.of("a", 1));
		this.activity.begin(List.of(SECRETS));
		assertThat(this.activity.work().counts()).isEmpty();
	}

	private void list(String version, List<String> owners) {
		Listing listing = this.activity.listing(SECRETS);
		listing.page(version, true, owners);
		listing.end(true);
	}

	private Map<String, Integer> counts() {
		return this.activity.work().counts().get(SECRETS).byShard();
	}

	private static ObjectRef object(String name) {
		return new ObjectRef(SECRETS, "default", name);
	}

}
