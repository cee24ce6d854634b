package dev.sharding.internal.core.assignment;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.assignment.AssignmentDecision.Assign;
import dev.sharding.internal.core.assignment.AssignmentDecision.Drain;
import dev.sharding.internal.core.assignment.AssignmentDecision.Keep;
import dev.sharding.internal.core.assignment.AssignmentDecision.Move;
import dev.sharding.internal.core.assignment.AssignmentDecision.Wait;
import dev.sharding.internal.core.assignment.AssignmentDecision.WaitReason;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.protocol.ShardingLabels;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.constraints.WithNull;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AssignmentDecisionTests {

	private static final String RING = "my-ring";

	/* The ring a, b gives this key to b. */
	private static final ShardingKey KEY = new ShardingKey("", "Secret", "default", "foo");

	private static final HashRing AB = HashRing.of(List.of("a", "b"));

	@Test
	void keyOfTheTableBelongsToB() {
		assertThat(AB.shardFor(KEY)).isEqualTo("b");
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|',
			textBlock = """
					112 main, unassigned                              | MAIN       |      |       | NONE                     | assign b
					116 controlled, unassigned                        | CONTROLLED |      |       | NONE                     | assign b
					106 main, empty shard label                       | MAIN       | ''   |       | NONE                     | assign b
					main, unassigned, drain label left over           | MAIN       |      | true  | NONE                     | assign b
					83 main, where it belongs                         | MAIN       | b    |       | NONE                     | keep
					83 controlled, where it belongs                   | CONTROLLED | b    |       | NONE                     | keep
					main, where it belongs, drain became moot         | MAIN       | b    | true  | NONE                     | keep
					111 main, other shard available                   | MAIN       | a    |       | NONE                     | drain
					main, drained already                             | MAIN       | a    | true  | NONE                     | wait CLAIM_LIVE
					main, drained already, with any value             | MAIN       | a    | ''    | NONE                     | wait CLAIM_LIVE
					main, drain was sent                              | MAIN       | a    |       | CLAIM_LIVE               | wait CLAIM_LIVE
					main, assigned to other shard after its hand-over | MAIN       | a    |       | CONTROLLED_OBJECTS_MOVED | drain
					111 controlled, other shard available             | CONTROLLED | a    |       | NONE                     | move b
					111 controlled, its main object still owned       | CONTROLLED | a    |       | CLAIM_LIVE               | wait CLAIM_LIVE
					controlled, its main object given up              | CONTROLLED | a    |       | CLAIM_ENDED              | move b
					controlled, left behind                           | CONTROLLED | a    |       | CONTROLLED_OBJECTS_MOVED | move b
					controlled, new, its main object still owned      | CONTROLLED |      |       | CLAIM_LIVE               | wait CLAIM_LIVE
					main, acknowledged, controlled objects on the way | MAIN       |      |       | CLAIM_ENDED              | wait CONTROLLED_OBJECTS_FIRST
					main, acknowledged, controlled objects moved      | MAIN       |      |       | CONTROLLED_OBJECTS_MOVED | assign b
					107/110 main, dead shard                          | MAIN       | dead |       | NONE                     | move b
					107/110 controlled, dead shard                    | CONTROLLED | dead |       | NONE                     | move b
					main, dead shard, drain label on                  | MAIN       | dead | true  | NONE                     | move b
					main, dead shard, Lease not taken yet             | MAIN       | dead |       | CLAIM_LIVE               | wait CLAIM_LIVE
					main, dead shard, controlled objects on the way   | MAIN       | dead |       | CLAIM_ENDED              | wait CONTROLLED_OBJECTS_FIRST
					main, dead shard, controlled objects moved        | MAIN       | dead |       | CONTROLLED_OBJECTS_MOVED | move b
					""")
	void decides(String scenario, ResourceRole role, String shard, String drain, HandOver handOver, String expected) {
		AssignmentFacts facts = new AssignmentFacts(labels(shard, drain), RING, role, KEY, AB, handOver, false);
		assertThat(AssignmentDecision.of(facts)).isEqualTo(decision(expected));
	}

	@Test
	@DisplayName("84 without an available shard nothing happens")
	void waitsForShard() {
		for (String shard : new String[] { null, "a" }) {
			AssignmentFacts facts = new AssignmentFacts(labels(shard, null), RING, ResourceRole.MAIN, KEY,
					HashRing.of(List.of()), HandOver.NONE, false);
			assertThat(AssignmentDecision.of(facts)).isEqualTo(new Wait(WaitReason.NO_AVAILABLE_SHARD));
		}
	}

	@Test
	@DisplayName("85/109/118 a controlled object without controller stays as it is")
	void keepsWhatIsNotSharded() {
		for (String shard : new String[] { null, "a", "dead" }) {
			AssignmentFacts facts = new AssignmentFacts(labels(shard, null), RING, ResourceRole.CONTROLLED, null, AB,
					HandOver.NONE, false);
			assertThat(AssignmentDecision.of(facts)).isEqualTo(new Keep());
		}
	}

	@Test
	@DisplayName("86 an object without labels is assigned")
	void assignsObjectWithoutLabels() {
		AssignmentFacts facts = new AssignmentFacts(null, RING, ResourceRole.MAIN, KEY, AB, HandOver.NONE, false);
		assertThat(AssignmentDecision.of(facts)).isEqualTo(new Assign("b"));
	}

	@Test
	void labelsOfOtherRingsDoNotCount() {
		Map<String, String> labels = Map.of(ShardingLabels.shard("other"), "b", ShardingLabels.drain("other"), "true");
		AssignmentFacts facts = new AssignmentFacts(labels, RING, ResourceRole.MAIN, KEY, AB, HandOver.NONE, false);
		assertThat(facts.currentShard()).isNull();
		assertThat(AssignmentDecision.of(facts)).isEqualTo(new Assign("b"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			# role       | shard | drain | handOver                 | decision
			MAIN         | a     |       | NONE                     | wait PAUSED
			MAIN         | a     | true  | NONE                     | wait PAUSED
			MAIN         | a     |       | CONTROLLED_OBJECTS_MOVED | wait PAUSED
			MAIN         | b     |       | NONE                     | keep
			MAIN         |       |       | NONE                     | assign b
			MAIN         |       |       | CLAIM_ENDED              | wait CONTROLLED_OBJECTS_FIRST
			MAIN         |       |       | CONTROLLED_OBJECTS_MOVED | assign b
			MAIN         | dead  |       | NONE                     | move b
			MAIN         | dead  |       | CONTROLLED_OBJECTS_MOVED | move b
			CONTROLLED   | a     |       | NONE                     | move b
			CONTROLLED   | a     |       | CLAIM_LIVE               | wait CLAIM_LIVE
			CONTROLLED   | a     |       | CLAIM_ENDED              | move b
			CONTROLLED   | dead  |       | NONE                     | move b
			CONTROLLED   |       |       | NONE                     | assign b
			""")
	@DisplayName("C2 in a paused ring, what has no available owner still gets one")
	void movesNothingThatIsOwnedWhilePaused(ResourceRole role, String shard, String drain, HandOver handOver,
			String expected) {
		AssignmentFacts facts = new AssignmentFacts(labels(shard, drain), RING, role, KEY, AB, handOver, true);
		assertThat(AssignmentDecision.of(facts)).isEqualTo(decision(expected));
	}

	@Test
	void drainsWhatACordonedShardHas() {
		HashRing cordoned = HashRing.of(List.of("a", "b"), List.of("b"));
		assertThat(AssignmentDecision
			.of(new AssignmentFacts(labels("b", null), RING, ResourceRole.MAIN, KEY, cordoned, HandOver.NONE, false)))
			.isEqualTo(new Drain());
		assertThat(AssignmentDecision
			.of(new AssignmentFacts(labels(null, null), RING, ResourceRole.MAIN, KEY, cordoned, HandOver.NONE, false)))
			.isEqualTo(new Assign("a"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			# role       | shard | drain | handOver                 | owner given back | owner settling
			MAIN         | a     |       | NONE                     | wait GIVEN_BACK  | wait SETTLING
			MAIN         | a     | true  | NONE                     | wait GIVEN_BACK  | wait SETTLING
			MAIN         | a     |       | CONTROLLED_OBJECTS_MOVED | wait GIVEN_BACK  | wait SETTLING
			MAIN         | b     |       | NONE                     | keep             | keep
			MAIN         |       |       | NONE                     | assign b         | assign b
			MAIN         | dead  |       | NONE                     | move b           | move b
			CONTROLLED   | a     |       | NONE                     | move b           | move b
			CONTROLLED   | a     |       | CLAIM_LIVE               | wait CLAIM_LIVE  | wait CLAIM_LIVE
			""")
	void asksNobodyWhoIsAwayOrHasJustCome(ResourceRole role, String shard, String drain, HandOver handOver,
			String givenBack, String settling) {
		AssignmentFacts away = new AssignmentFacts(labels(shard, drain), RING, role, KEY, AB, handOver, false,
				Set.of("a"));
		assertThat(AssignmentDecision.of(away)).isEqualTo(decision(givenBack));
		HashRing ring = HashRing.of(List.of("a", "b"), List.of(), List.of("a"));
		AssignmentFacts came = new AssignmentFacts(labels(shard, drain), RING, role, KEY, ring, handOver, false);
		assertThat(AssignmentDecision.of(came)).isEqualTo(decision(settling));
	}

	@Test
	void whatHasNoOwnerIsAssignedToAShardThatWasGivenBack() {
		AssignmentFacts facts = new AssignmentFacts(labels(null, null), RING, ResourceRole.MAIN, KEY, AB, HandOver.NONE,
				false, Set.of("b"));
		assertThat(AssignmentDecision.of(facts)).isEqualTo(new Assign("b"));
	}

	@Property
	void whatNobodyOwnsGetsAnOwnerWhateverIsAskedFor(
			@ForAll @Size(min = 1, max = 4) Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> shards,
			@ForAll Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> cordoned,
			@ForAll @WithNull @CharRange(from = 'a', to = 'f') @StringLength(1) String current,
			@ForAll boolean paused) {
		HashRing ring = HashRing.of(shards, cordoned);
		AssignmentDecision decision = AssignmentDecision
			.of(new AssignmentFacts(labels(current, null), RING, ResourceRole.MAIN, KEY, ring, HandOver.NONE, paused));
		if (current == null || !shards.contains(current)) {
			assertThat(decision).isInstanceOfAny(Move.class, Assign.class);
		}
		else if (paused) {
			assertThat(decision).isInstanceOfAny(Keep.class, Wait.class);
		}
	}

	@Property
	void neverTakesMainObjectFromAvailableShard(
			@ForAll @Size(min = 1, max = 4) Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> shards,
			@ForAll @WithNull @CharRange(from = 'a', to = 'f') @StringLength(1) String current, @ForAll boolean drain,
			@ForAll HandOver handOver) {
		AssignmentFacts facts = new AssignmentFacts(labels(current, drain ? "true" : null), RING, ResourceRole.MAIN,
				KEY, HashRing.of(shards), handOver, false);
		AssignmentDecision decision = AssignmentDecision.of(facts);
		if (current != null && shards.contains(current)) {
			assertThat(decision).isNotInstanceOfAny(Move.class, Assign.class);
		}
		if (handOver == HandOver.CLAIM_LIVE) {
			assertThat(decision).isInstanceOfAny(Keep.class, Wait.class);
		}
	}

	@Property
	void carriedOutDecisionIsKept(
			@ForAll @Size(min = 1, max = 4) Set<@CharRange(from = 'a', to = 'f') @StringLength(1) String> shards,
			@ForAll @WithNull @CharRange(from = 'a', to = 'f') @StringLength(1) String current,
			@ForAll ResourceRole role) {
		HashRing ring = HashRing.of(shards);
		AssignmentDecision decision = AssignmentDecision
			.of(new AssignmentFacts(labels(current, null), RING, role, KEY, ring, HandOver.NONE, false));
		String next = (decision instanceof Move move) ? move.shard()
				: (decision instanceof Assign assign) ? assign.shard() : current;
		String drain = (decision instanceof Drain) ? "true" : null;
		AssignmentDecision again = AssignmentDecision
			.of(new AssignmentFacts(labels(next, drain), RING, role, KEY, ring, HandOver.NONE, false));
		assertThat(again).isEqualTo((drain != null) ? new Wait(WaitReason.CLAIM_LIVE) : new Keep());
	}

	private static Map<String, String> labels(String shard, String drain) {
		Map<String, String> labels = new HashMap<>(Map.of("app", "x"));
		if (shard != null) {
			labels.put(ShardingLabels.shard(RING), shard);
		}
		if (drain != null) {
			labels.put(ShardingLabels.drain(RING), drain);
		}
		return labels;
	}

	private static AssignmentDecision decision(String text) {
		String[] words = text.split(" ");
		return switch (words[0]) {
			case "keep" -> new Keep();
			case "drain" -> new Drain();
			case "assign" -> new Assign(words[1]);
			case "move" -> new Move(words[1]);
			case "wait" -> new Wait(WaitReason.valueOf(words[1]));
			default -> throw new IllegalArgumentException(text);
		};
	}

}
