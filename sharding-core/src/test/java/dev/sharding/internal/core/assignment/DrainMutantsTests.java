package dev.sharding.internal.core.assignment;

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
 * Each rule of a hand-over is needed, the laws and what the processes do: without it the
 * explorer finds a play that goes wrong. Which one, with
 * {@code mvn -pl sharding-core test -Dtest=DrainMutantsTests -Ddrains.mutants.report=true}.
 */
class DrainMutantsTests {

	private static final String CORE = "dev.sharding.internal.core.";

	private static final int STEPS = 18;

	@ParameterizedTest(name = "{0}")
	@MethodSource("laws")
	void aLawThatIsTakenAwayIsMissed(Mutant mutant, String folder, DrainScene scene, String wrong) throws Exception {
		Method explore = SourceMutants.load(SourceMutants.sources(folder), CORE, mutant::applyTo)
			.loadClass(CORE + "assignment.DrainExplorer")
			.getDeclaredMethod("explore", String.class, String.class, int.class);
		explore.setAccessible(true);
		found(mutant.name(), (String) explore.invoke(null, scene.name(), DrainFault.NONE.name(), STEPS), wrong);
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "faults", "holes" })
	void aProcessThatDoesWrongIsFound(DrainFault fault, DrainScene scene, String wrong) {
		found(fault.name(), DrainExplorer.explore(scene.name(), fault.name(), STEPS + 4), wrong);
	}

	private static void found(String what, String play, String wrong) {
		if (Boolean.getBoolean("drains.mutants.report")) {
			System.out.printf("%s: %s%n%n", what, play);
		}
		assertThat(play).as(what).contains(wrong);
	}

	static Stream<Arguments> laws() {
		return Stream.of(
				law("an available owner is not asked", "assignment", "AssignmentDecision.java",
						"			return new Drain();", "			return new Move(desired);", DrainScene.JOIN,
						"what it controls is with a"),
				law("main objects do not wait for what they control", "assignment", "AssignmentDecision.java",
						"owned ? whileDraining(facts) : WaitReason.CONTROLLED_OBJECTS_FIRST;",
						"owned ? whileDraining(facts) : null;", DrainScene.JOIN, "gets the main object, and what it"),
				law("a shard may write for longer than its Lease lasts", "fence", "LeaseGate.java",
						"leaseDuration.minus(margin(leaseDuration))", "leaseDuration.multipliedBy(3)", DrainScene.CRASH,
						"it was taken from a-1"),
				law("the sharder takes any Lease", "lease", "ShardLeaseDecision.java",
						"return switch (ShardState.of(seen.lease(), now.wall())) {",
						"left = Duration.ZERO;\n		return switch (ShardState.of(seen.lease(), now.wall())) {",
						DrainScene.CRASH, "it was taken from a-1"),
				law("a process does not wait for another one of its name", "lease", "AcquisitionDecision.java",
						"return shard.holds(lease);", "return true;", DrainScene.NAMESAKE, "two owners"),
				law("the sharder holds no Lease for what is still there", "lease", "HoldDecision.java",
						"if (wanted || isPositive(shown)) {", "if (isPositive(shown)) {", DrainScene.CRASH,
						"is free although"));
	}

	static Stream<Arguments> faults() {
		return Stream.of(arguments(DrainFault.LETS_GO_AT_WORK, DrainScene.NEW_CHILD, "what it controls is with a"),
				arguments(DrainFault.LETS_GO_BLINDLY, DrainScene.JOIN, "let go of what b has"),
				arguments(DrainFault.BEGINS_WITHOUT_REFRESH, DrainScene.JOIN, "the cache lacks"),
				arguments(DrainFault.WRITES_WITHOUT_FENCE, DrainScene.CRASH, "taken from a-1"),
				arguments(DrainFault.ACTS_WITHOUT_TOUCH, DrainScene.CRASH, "taken from a-1"),
				arguments(DrainFault.GIVES_MAIN_FIRST, DrainScene.JOIN, "what it controls is with a"),
				arguments(DrainFault.LISTS_TOO_EARLY, DrainScene.NEW_CHILD, "what it controls is with a"),
				arguments(DrainFault.FORGETS_THE_NEXT_RING, DrainScene.COME_AND_GO, "what it controls is with b"),
				arguments(DrainFault.FORGETS_WHAT_IS_UNANSWERED, DrainScene.COME_AND_GO, "what it controls is with b"),
				arguments(DrainFault.OVERTAKES_A_PASS, DrainScene.COME_AND_GO, "what it controls is with b"),
				arguments(DrainFault.MOVES_WITHOUT_HOLD, DrainScene.CRASH, "taken from a-1"),
				arguments(DrainFault.ENDS_HOLD_TOO_EARLY, DrainScene.CRASH, "is free although"),
				arguments(DrainFault.TAKES_LIVE_LEASE, DrainScene.JOIN, "taken from a-1"),
				arguments(DrainFault.TAKES_WITHOUT_LOOK, DrainScene.JOIN, "taken from a-1"),
				arguments(DrainFault.FORMER_LEADER_IS_LATE, DrainScene.COME_AND_GO, "what it controls is with b"));
	}

	/** What no law of ours keeps from happening: docs/proof.md says so. */
	static Stream<Arguments> holes() {
		return Stream.of(
				arguments(DrainFault.CREATES_WITHOUT_ANSWER, DrainScene.NEW_CHILD, "what it controls is with a"),
				arguments(DrainFault.GIVES_MAIN_WITHOUT_ANSWER, DrainScene.COME_AND_GO, "what it controls is with a"),
				arguments(DrainFault.COMES_BACK_HALFWAY, DrainScene.CRASH, "what is controlled is with b"));
	}

	private static Arguments law(String name, String folder, String file, String find, String replace, DrainScene scene,
			String wrong) {
		return arguments(new Mutant(name, file, find, replace), folder, scene, wrong);
	}

}
