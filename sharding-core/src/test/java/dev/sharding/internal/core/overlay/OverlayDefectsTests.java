package dev.sharding.internal.core.overlay;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.Optional;

import dev.sharding.internal.core.overlay.ObservedEvent.Added;
import dev.sharding.internal.core.overlay.ObservedEvent.Removed;
import dev.sharding.internal.core.overlay.ObservedEvent.Updated;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Defects that caches of this kind are known to have, one test each.
 */
class OverlayDefectsTests {

	private static final String WRITER = "writer";

	private static final String OTHER = "other";

	private static final long NOW = 1;

	private final Overlay<String, ModelObject> overlay = new Overlay<>(ModelObject.ACCESS, OverlayLimits.defaults());

	@Test
	void echoHandledBeforeTheAnswerLeavesNoSecondCopy() {
		long write = send(lockedOn("4"));
		this.overlay.event(new Updated<>(object(4), object(5)), NOW);
		this.overlay.returned(write, object(5), NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void ownWriteThatLeavesTheSelectorLeavesNoGhost() {
		long write = send(lockedOn("9"));
		List<Emission<ModelObject>> removal = this.overlay.event(new Removed<>(object(10), false), NOW);
		this.overlay.returned(write, outside(10), NOW);
		assertThat(removal).singleElement().matches((emission) -> emission.reaches(WRITER));
		assertThat(read(null, "10")).isNull();
		assertThat(list(List.of(), "10")).isEmpty();
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void ownWriteThatLeavesTheSelectorHidesTheObjectBeforeItsRemovalIsSeen() {
		this.overlay.returned(send(lockedOn("9")), outside(10), NOW);
		assertThat(read(object(9), "9")).isNull();
		assertThat(list(List.of(object(9)), "9")).isEmpty();
		this.overlay.event(new Removed<>(object(10), false), NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void createOutsideTheSelectorIsNoGhostAndEndsWithTheNextBookmark() {
		this.overlay.returned(send(new OwnWrite.Create<>(WRITER, "x", (name) -> false)), outside(5), NOW);
		assertThat(read(null, "4")).isNull();
		assertThat(list(List.of(), "4")).isEmpty();
		this.overlay.bookmark("5");
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void answerToANoOpLeavesNoWindow() {
		this.overlay.event(new Updated<>(object(4), object(5)), NOW);
		this.overlay.returned(send(unlocked()), object(5), NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void noOpWithoutLockSwallowsNoForeignEventOfTheSameVersion() {
		this.overlay.returned(send(unlocked()), object(7), NOW);
		assertThat(this.overlay.event(new Updated<>(object(6), object(7)), NOW)).singleElement()
			.matches((emission) -> emission.reaches(WRITER));
	}

	@Test
	void heldChangeKeepsItsOwnBeforeAndAfter() {
		long write = send(lockedOn("4"));
		Updated<ModelObject> first = new Updated<>(object(4), object(5));
		Updated<ModelObject> second = new Updated<>(object(5), object(6));
		this.overlay.event(first, NOW);
		this.overlay.event(second, NOW);
		assertThat(this.overlay.failed(write)).extracting(Emission::event).containsExactly(first, second);
	}

	@Test
	void removalStaysARemovalAndWaitsForNothing() {
		send(lockedOn("4"));
		Updated<ModelObject> held = new Updated<>(object(4), object(5));
		Removed<ModelObject> removal = new Removed<>(object(6), false);
		this.overlay.event(held, NOW);
		assertThat(this.overlay.event(removal, NOW)).filteredOn((emission) -> emission.reaches(WRITER))
			.extracting(Emission::event)
			.containsExactly(held, removal);
	}

	@Test
	void ownWriteOfOneReconcilerReachesTheOthers() {
		this.overlay.returned(send(lockedOn("4")), object(5), NOW);
		assertThat(this.overlay.event(new Updated<>(object(4), object(5)), NOW)).singleElement()
			.matches((emission) -> emission.reaches(OTHER) && !emission.reaches(WRITER));
	}

	@Test
	void eventHeldForOneReconcilerIsNotHeldForTheOthers() {
		send(lockedOn("4"));
		assertThat(this.overlay.event(new Updated<>(object(4), object(5)), NOW)).singleElement()
			.matches((emission) -> emission.reaches(OTHER) && !emission.reaches(WRITER));
	}

	@Test
	void readsDoNotGoBackWhileTheStoreIsAheadOfTheEvents() {
		this.overlay.returned(send(lockedOn("9")), object(10), NOW);
		assertThat(read(object(11), "11")).isEqualTo(object(11));
		assertThat(read(null, "12")).isNull();
		assertThat(list(List.of(object(11)), "11")).containsExactly(object(11));
	}

	@Test
	void readsDoNotGoBackDuringARelist() {
		this.overlay.returned(send(lockedOn("9")), object(10), NOW);
		this.overlay.relistStarted();
		this.overlay.event(new Updated<>(object(4), object(8)), NOW);
		this.overlay.relistFinished("8");
		assertThat(read(object(8), "8")).isEqualTo(object(10));
	}

	@Test
	void heldEventHasADeadline() {
		send(lockedOn("4"));
		this.overlay.event(new Updated<>(object(4), object(5)), NOW);
		long deadline = NOW + OverlayLimits.defaults().hold().toNanos();
		assertThat(this.overlay.tick(deadline - 1).emissions()).isEmpty();
		assertThat(this.overlay.tick(deadline).emissions()).singleElement()
			.matches((emission) -> emission.reaches(WRITER) && !emission.reaches(OTHER));
	}

	@Test
	void heldEventsOfOneObjectAreBounded() {
		send(lockedOn("4"));
		int held = 0;
		for (int version = 5; version < 500; version++) {
			this.overlay.event(new Updated<>(object(version - 1), object(version)), NOW);
			held = Math.max(held, this.overlay.status(NOW).held());
		}
		assertThat(held).isEqualTo(OverlayLimits.defaults().heldPerKey());
	}

	@Test
	void relistThatFindsTheObjectMissingDropsNeitherHeldEventsNorOpenWrites() {
		long write = send(lockedOn("4"));
		Updated<ModelObject> held = new Updated<>(object(4), object(5));
		this.overlay.event(held, NOW);
		this.overlay.relistStarted();
		Removed<ModelObject> missing = new Removed<>(object(5), true);
		assertThat(this.overlay.event(missing, NOW)).filteredOn((emission) -> emission.reaches(WRITER))
			.extracting(Emission::event)
			.containsExactly(held, missing);
		this.overlay.relistFinished("6");
		assertThat(this.overlay.status(NOW).inFlight()).isOne();
		this.overlay.returned(write, object(7), NOW);
		assertThat(read(null, "6")).isEqualTo(object(7));
	}

	@Test
	void versionThatIsNoNumberFailsNoSucceededWriteAndSendsReadersToTheServer() {
		long write = send(lockedOn("etag-4"));
		assertThat(this.overlay.returned(write, object("etag-5"), NOW)).isEmpty();
		Correction<String, ModelObject> correction = this.overlay.correction("x", this.overlay.mark());
		assertThat(correction.apply(object("etag-4"), null)).isInstanceOf(Sight.AskServer.class);
		assertThat(this.overlay.view(this.overlay.mark()).list(List.of(), (each) -> true, (key) -> null, null))
			.isInstanceOf(Sight.AskServer.class);
		this.overlay.event(new Updated<>(object("etag-4"), object("etag-5")), NOW);
		assertThat(this.overlay.correctsNothing()).isTrue();
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void versionThatIsNoNumberEndsWithARelist() {
		this.overlay.returned(send(lockedOn("etag-4")), object("etag-5"), NOW);
		long later = NOW + OverlayLimits.defaults().stuck().toNanos();
		OverlayTick<String, ModelObject> due = this.overlay.tick(later);
		assertThat(due.stuck()).isNotEmpty();
		this.overlay.refreshed(due.stuck());
		assertThat(this.overlay.status(later).isEmpty()).isTrue();
	}

	@Test
	void relistDropsNoAnswerThatIsNewerThanItself() {
		this.overlay.outcomeUnknown(send(unlocked()), NOW);
		long later = NOW + OverlayLimits.defaults().stuck().toNanos();
		Set<Long> stuck = this.overlay.tick(later).stuck();
		assertThat(stuck).isNotEmpty();
		this.overlay.relistStarted();
		this.overlay.resolved(this.overlay.question().writes(), List.of(object(8)), Set.of(), "8", later);
		this.overlay.event(new Updated<>(object(4), object(6)), later);
		this.overlay.relistFinished("6");
		this.overlay.refreshed(stuck);
		assertThat(read(object(6), "6")).isEqualTo(object(8));
	}

	@Test
	void oneOverlayServesAllReconcilersOfAType() {
		this.overlay.returned(send(lockedOn("4")), object(5), NOW);
		this.overlay.returned(this.overlay.sent(new OwnWrite.Update<>(OTHER, "x", "5", OwnChange.unknown()), NOW),
				object(6), NOW);
		assertThat(read(object(4), "4")).isEqualTo(object(6));
		assertThat(this.overlay.event(new Updated<>(object(4), object(5)), NOW)).singleElement()
			.matches((emission) -> emission.reaches(OTHER) && !emission.reaches(WRITER));
		assertThat(this.overlay.event(new Updated<>(object(5), object(6)), NOW)).singleElement()
			.matches((emission) -> emission.reaches(WRITER) && !emission.reaches(OTHER));
	}

	@Test
	void ownWritesStayVisibleWhenTheInformerStopsOrStartsAnew() {
		this.overlay.returned(send(lockedOn("4")), object(5), NOW);
		assertThat(read(null, null)).isEqualTo(object(5));
		this.overlay.relistStarted();
		assertThat(read(object(4), "4")).isEqualTo(object(5));
		this.overlay.relistFinished("5");
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void ownDeleteIsSeenUntilNoOlderStateCanAppear() {
		long delete = send(new OwnWrite.Delete<>(WRITER, "x", "u", "5"));
		assertThat(read(object(5), "5")).as("not before it returned").isEqualTo(object(5));
		this.overlay.deleted(delete, "u", NOW);
		assertThat(read(object(5), "5")).isNull();
		assertThat(list(List.of(object(5)), "5")).isEmpty();
		this.overlay.event(new Removed<>(object(6), false), NOW);
		assertThat(read(object(8), "8")).as("it had left the scope, not been deleted").isNull();
		long later = NOW + OverlayLimits.defaults().cover().toNanos();
		this.overlay.covered(this.overlay.tick(later).uncovered(), "9");
		this.overlay.bookmark("9");
		assertThat(this.overlay.status(later).isEmpty()).isTrue();
	}

	@Test
	void ownDeleteIsForgottenWithoutARequestWhenALaterWriteTellsAVersion() {
		this.overlay.deleted(send(new OwnWrite.Delete<>(WRITER, "x", "u", "5")), "u", NOW);
		this.overlay.returned(send(new OwnWrite.Create<>(WRITER, "z", (name) -> false)),
				new ModelObject("z", "v", "7", true, 0, 0, false, false), NOW);
		this.overlay.event(new Removed<>(object(6), false), NOW);
		this.overlay.event(new Added<>(new ModelObject("z", "v", "7", true, 0, 0, false, false)), NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void ownDeleteIsForgottenAlsoWhenTheLaterWriteIsSeenBeforeItIsAnswered() {
		this.overlay.deleted(send(new OwnWrite.Delete<>(WRITER, "x", "u", "5")), "u", NOW);
		ModelObject later = new ModelObject("z", "v", "7", true, 0, 0, false, false);
		long create = send(new OwnWrite.Create<>(WRITER, "z", (name) -> false));
		this.overlay.event(new Removed<>(object(6), false), NOW);
		this.overlay.event(new Added<>(later), NOW);
		this.overlay.returned(create, later, NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void recreatedObjectIsSeenThoughItsNameWasDeleted() {
		this.overlay.deleted(send(new OwnWrite.Delete<>(WRITER, "x", "u", "5")), "u", NOW);
		ModelObject anew = new ModelObject("x", "v", "8", true, 0, 0, false, false);
		assertThat(read(anew, "8")).isEqualTo(anew);
	}

	@Test
	void deleteOfAnObjectWithAFinalizerShowsItTerminating() {
		ModelObject terminating = new ModelObject("x", "u", "6", true, 0, 0, true, true);
		this.overlay.returned(send(new OwnWrite.Delete<>(WRITER, "x", "u", "5")), terminating, NOW);
		assertThat(read(object(5), "5")).isEqualTo(terminating);
	}

	@Test
	void removalOfTheLastFinalizerShowsTheObjectGone() {
		ModelObject gone = new ModelObject("x", "u", "7", true, 0, 0, false, true);
		this.overlay.returned(send(lockedOn("6")), gone, NOW);
		assertThat(read(object(6), "6")).isNull();
		assertThat(read(gone, "7")).isNull();
	}

	@Test
	void whatWasReadExistsThoughNothingSeemsToHoldIt() {
		ModelObject terminating = new ModelObject("x", "u", "7", true, 0, 0, false, true);
		this.overlay.handInSeen(terminating, NOW);
		assertThat(read(object(6), "6")).isEqualTo(terminating);
	}

	@Test
	void whatAListDoesNotShowIsAbsentAtItsVersion() {
		this.overlay.handInList((key) -> false, List.of("x"), "8", NOW);
		assertThat(read(object(5), "5")).isNull();
		// It came back.
		assertThat(read(object(9), "9")).isEqualTo(object(9));
		// Later lists do not keep what the feed is about to reach.
		this.overlay.handInList((key) -> false, List.of("x"), "10", NOW);
		this.overlay.bookmark("8");
		assertThat(this.overlay.status(NOW).entries()).isZero();
	}

	@Test
	void whatAListShowedAndALaterOneDoesNotIsAbsent() {
		this.overlay.handInSeen(object(6), NOW);
		this.overlay.handInList((key) -> false, List.of(), "8", NOW);
		assertThat(read(null, "5")).isNull();
		this.overlay.handInSeen(object(9), NOW);
		this.overlay.handInList((key) -> false, List.of(), "8", NOW);
		assertThat(read(null, "5")).isEqualTo(object(9));
	}

	@Test
	void whatWasFoundOfAWriteInDoubtExistsThoughNothingSeemsToHoldIt() {
		ModelObject terminating = new ModelObject("x", "u", "7", true, 0, 0, false, true);
		this.overlay.outcomeUnknown(send(unlocked()), NOW);
		Sight<String, ModelObject> sight = this.overlay.correction("x", this.overlay.mark()).apply(object(6), "6");
		Map<Long, Optional<String>> writes = ((Sight.AskServer<String, ModelObject>) sight).writes();
		this.overlay.resolved(writes, List.of(terminating), Set.of(), "8", NOW);
		assertThat(read(object(6), "6")).isEqualTo(terminating);
	}

	@Test
	void writeOfUnknownOutcomeSendsReadersToTheServerUntilTheyKnow() {
		this.overlay.outcomeUnknown(send(unlocked()), NOW);
		Sight<String, ModelObject> sight = this.overlay.correction("x", this.overlay.mark()).apply(object(4), "4");
		assertThat(sight).isInstanceOf(Sight.AskServer.class);
		Map<Long, Optional<String>> writes = ((Sight.AskServer<String, ModelObject>) sight).writes();
		assertThat(writes).containsValue(Optional.of("x"));
		this.overlay.resolved(writes, List.of(object(6)), Set.of(), "8", NOW);
		assertThat(read(object(4), "4")).isEqualTo(object(6));
		this.overlay.event(new Updated<>(object(4), object(6)), NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	@Test
	void triesOfOneWriteOfUnknownOutcomeLeaveOneDoubt() {
		for (int i = 0; i < 100; i++) {
			this.overlay.outcomeUnknown(send(unlocked()), NOW + i);
		}
		this.overlay.outcomeUnknown(send(lockedOn("4")), NOW + 100);
		assertThat(this.overlay.status(NOW + 100).entries()).isEqualTo(2);
		assertThat(this.overlay.status(NOW + 100).oldestNanos()).isEqualTo(100);
		this.overlay.event(new Updated<>(object(4), object(5)), NOW + 100);
		assertThat(this.overlay.status(NOW + 100).entries()).as("the one without a lock").isOne();
	}

	@Test
	void writeOfUnknownOutcomeWithALockEndsWithTheNextStateOfTheObject() {
		this.overlay.outcomeUnknown(send(lockedOn("4")), NOW);
		this.overlay.event(new Updated<>(object(3), object(4)), NOW);
		assertThat(this.overlay.status(NOW).entries()).isOne();
		this.overlay.event(new Updated<>(object(4), object(5)), NOW);
		assertThat(this.overlay.status(NOW).isEmpty()).isTrue();
	}

	private long send(OwnWrite<String, ModelObject> write) {
		return this.overlay.sent(write, NOW);
	}

	private @Nullable ModelObject read(@Nullable ModelObject stored, @Nullable String watermark) {
		Correction<String, ModelObject> correction = this.overlay.correction("x", this.overlay.mark());
		return (correction != null) ? ((Sight.Known<String, ModelObject>) correction.apply(stored, watermark)).result()
				: stored;
	}

	private Collection<ModelObject> list(List<ModelObject> stored, String watermark) {
		Sight<String, Collection<ModelObject>> sight = this.overlay.view(this.overlay.mark())
			.list(stored, (each) -> true, (key) -> stored.isEmpty() ? null : stored.get(0), watermark);
		return ((Sight.Known<String, Collection<ModelObject>>) sight).result();
	}

	private static OwnWrite<String, ModelObject> lockedOn(String version) {
		return new OwnWrite.Update<>(WRITER, "x", version, OwnChange.unknown());
	}

	private static OwnWrite<String, ModelObject> unlocked() {
		return new OwnWrite.Update<>(WRITER, "x", null, OwnChange.unknown());
	}

	private static ModelObject object(int version) {
		return object(Integer.toString(version));
	}

	private static ModelObject object(String version) {
		return new ModelObject("x", "u", version, true, 0, 0, false, false);
	}

	private static ModelObject outside(int version) {
		return new ModelObject("x", "u", Integer.toString(version), false, 0, 0, false, false);
	}

}
