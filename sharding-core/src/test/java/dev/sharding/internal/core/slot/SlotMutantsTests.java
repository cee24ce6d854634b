package dev.sharding.internal.core.slot;

import java.lang.reflect.Method;
import java.util.stream.Stream;

import dev.sharding.internal.core.SourceMutants;
import dev.sharding.internal.core.SourceMutants.Mutant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Each rule of slots is needed, the laws and what the processes do: without it the
 * explorer finds a play that goes wrong. Which one, with
 * {@code mvn -pl sharding-core test -Dtest=SlotMutantsTests -Dslots.mutants.report=true}.
 */
class SlotMutantsTests {

	private static final String PACKAGE = "dev.sharding.internal.core.slot.";

	private static final int STEPS = 12;

	@ParameterizedTest(name = "{0}")
	@MethodSource("laws")
	void aLawThatIsTakenAwayIsMissed(Mutant mutant, SlotScene scene, String wrong) throws Exception {
		Method explore = SourceMutants.load(SourceMutants.sources("slot"), PACKAGE, mutant::applyTo)
			.loadClass(PACKAGE + "SlotExplorer")
			.getDeclaredMethod("explore", String.class, String.class, int.class);
		explore.setAccessible(true);
		found(mutant.name(), (String) explore.invoke(null, scene.name(), SlotFault.NONE.name(), STEPS), wrong);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("settling")
	void aLawOfSettlingThatIsTakenAwayIsMissed(Mutant mutant) throws Exception {
		Method explore = SourceMutants.load(SourceMutants.sources("slot"), PACKAGE, mutant::applyTo)
			.loadClass(PACKAGE + "SettlingPlay")
			.getDeclaredMethod("explore");
		explore.setAccessible(true);
		found(mutant.name(), (String) explore.invoke(null), "instead of");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("faults")
	void aProcessThatDoesWrongIsFound(SlotFault fault, SlotScene scene, String wrong) {
		found(fault.name(), SlotExplorer.explore(scene.name(), fault.name(), STEPS), wrong);
	}

	private static void found(String what, String play, String wrong) {
		if (Boolean.getBoolean("slots.mutants.report")) {
			System.out.printf("%s: %s%n%n", what, play);
		}
		assertThat(play).as(what).contains(wrong);
	}

	static Stream<Arguments> laws() {
		return Stream.of(law("a mark is not bound to the transitions", "SlotLease.java",
				"((transitions != null) ? transitions : 0)", "0", SlotScene.LEFT_OVER_MARK, "took effect after"),
				law("a mark is not bound to the object", "SlotLease.java", "+ \"/\" + uid;", "+ \"/\" + \"uid-1\";",
						SlotScene.DELETES, "two owners"),
				law("each release counts as a give-back", "SlotLease.java", "mark.equals(mark(this.record, this.uid))",
						"mark.length() > 0", SlotScene.LEFT_OVER_MARK, "took effect after"),
				law("a candidate goes by the wall clock", "SlotTake.java",
						"Duration silent = shorter(now.observedSince(view.since()), now.observedSince(standby.answeredSince()));",
						"Duration silent = Duration.between(String.valueOf(view.lease().record().renewTime()).isEmpty() ? now.wall() : view.lease().record().renewTime(), now.wall());",
						SlotScene.CLOCK_BEHIND, "two owners"),
				law("an absent Lease is made at once", "SlotTake.java",
						"hasEnded(view) && Boolean.FALSE.equals(view.labelled())", "true", SlotScene.DELETES,
						"two owners"),
				law("a candidate believes a duration that is shorter than its own", "SlotTake.java",
						"Duration acts = longer(view.longest(), standby.own());", "Duration acts = view.longest();",
						SlotScene.EDITS, "two owners"),
				law("a candidate forgets the longest duration of a term", "SlotView.java",
						"(sameTerm && this.longest.compareTo(says) > 0) ? this.longest : says", "says",
						SlotScene.LONGER_LEASE, "two owners"),
				law("a lost answer makes a touch needless", "SlotWrites.java",
						"		if (!seen.isGivenBack() && !own) {\n			annotations.put(ShardingLabels.TOUCH_DUE, \"true\");",
						"		annotations.remove(ShardingLabels.TOUCH_DUE);\n		if (!seen.isGivenBack() && !own) {\n			annotations.put(ShardingLabels.TOUCH_DUE, \"true\");",
						SlotScene.ROLL_OUT, "took effect after"),
				law("a give-back makes a touch needless", "SlotWrites.java", "		if (progress.touched()) {",
						"		if (true) {", SlotScene.ROLL_OUT, "took effect after"),
				law("a give-back needs no answers", "TermEnd.java", "unanswered == null", "true", SlotScene.ROLL_OUT,
						"took effect after"),
				law("a write without an answer makes no touch due", "SlotWrites.java",
						"		SlotLease back = giveBack(seen, progress, now);\n",
						"		if (true) return giveBack(seen, progress, now);\n		SlotLease back = giveBack(seen, progress, now);\n",
						SlotScene.ROLL_OUT, "took effect after"),
				law("the grace runs although nobody else is there", "GraceDecision.java",
						"if (othersFor == null) {\n			return new Keep(SlotLease.LONGEST_GRACE);",
						"if (othersFor == null) {\n			return new Take();", SlotScene.ALONE, "nobody else"),
				law("the grace is over too soon", "GraceDecision.java", "Duration left = lease.grace()",
						"Duration left = lease.grace().dividedBy(2)", SlotScene.ROLL_OUT, "within its grace"));
	}

	static Stream<Mutant> settling() {
		String rule = "settledThrough == null || lease.settled() != null\n				|| (acquired != null && !acquired.isAfter(settledThrough));";
		return Stream.of(new Mutant("newcomers do not settle", "Seat.java", rule, "true;"),
				new Mutant("only the own mark counts", "Seat.java", rule, "lease.settled() != null;"));
	}

	static Stream<Arguments> faults() {
		return Stream.of(arguments(SlotFault.ACTS_WITHOUT_TOUCH, SlotScene.ROLL_OUT, "took effect after"),
				arguments(SlotFault.SAYS_THAT_IT_TOUCHED, SlotScene.ROLL_OUT, "took effect after"),
				arguments(SlotFault.FORGETS_LOST_ANSWERS, SlotScene.ROLL_OUT, "took effect after"),
				arguments(SlotFault.FORGETS_FORMER_TERMS, SlotScene.ROLL_OUT, "took effect after"),
				arguments(SlotFault.GIVES_BACK_WHILE_IT_ACTS, SlotScene.ROLL_OUT, "two owners"),
				arguments(SlotFault.WRITES_WITHOUT_FENCE, SlotScene.ROLL_OUT, "took effect after"),
				arguments(SlotFault.TAKES_BLINDLY, SlotScene.ROLL_OUT, "two owners"),
				arguments(SlotFault.TRUSTS_ANY_SHARDER, SlotScene.GO, "another shard has"),
				arguments(SlotFault.MOVES_WITHOUT_LEASE, SlotScene.ROLL_OUT, "another shard has"),
				arguments(SlotFault.KNOWS_NO_GRACE, SlotScene.ROLL_OUT, "within its grace"));
	}

	private static Arguments law(String name, String file, String find, String replace, SlotScene scene, String wrong) {
		return arguments(new Mutant(name, file, find, replace), scene, wrong);
	}

}
