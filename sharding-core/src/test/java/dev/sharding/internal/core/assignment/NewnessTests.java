package dev.sharding.internal.core.assignment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.sharding.internal.core.assignment.Newness.Absent;
import dev.sharding.internal.core.assignment.Newness.Arrival;
import dev.sharding.internal.core.assignment.Newness.Look;
import dev.sharding.internal.core.assignment.Newness.New;
import dev.sharding.internal.core.assignment.Newness.Past;
import dev.sharding.internal.core.assignment.Newness.Present;
import dev.sharding.internal.core.assignment.Newness.Unknown;
import dev.sharding.internal.core.assignment.Newness.Unproven;
import dev.sharding.protocol.ShardingLabels;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NewnessTests {

	private static final String RING = "ring";

	private static final String SHARD = ShardingLabels.shard(RING);

	private static final String DRAIN = ShardingLabels.drain(RING);

	private static final String FIRST = ShardingLabels.first(RING);

	private static final List<String> SHARDS = List.of("a", "b");

	@Test
	void withoutTheMarkNothingIsAsked() {
		assertThat(after(Map.of(SHARD, "a"))).isEqualTo(new Unproven());
	}

	@Test
	void asksForTheMomentBeforeTheArrivalFirst() {
		assertThat(after(marked("90"))).isEqualTo(new Look("99", "89"));
		assertThat(after(marked(ShardingLabels.FIRST_AT_CREATION))).isEqualTo(new Look("99", null));
		assertThat(Newness.of(RING, new Arrival("u", "1", marked("1")), List.of())).isEqualTo(new Unproven());
		assertThat(Newness.of(RING, new Arrival("u", "abc", marked("1")), List.of())).isEqualTo(new Unproven());
	}

	@Test
	void whatWasCreatedWithoutShardAndThenAssignedIsNew() {
		Past created = new Present("u", "90", null);
		assertThat(after(marked("90"), created)).isEqualTo(new Look("89", null));
		assertThat(after(marked("90"), created, new Absent())).isEqualTo(new New());
	}

	@Test
	void changesOfOthersBeforeTheAssignmentDoNotMatter() {
		Past changed = new Present("u", "90", Map.of("x", "y", SHARD, ""));
		Past created = new Present("u", "80", Map.of(ShardingLabels.shard("other"), "a"));
		assertThat(after(marked("90"), changed, created)).isEqualTo(new Look("79", null));
		assertThat(after(marked("90"), changed, created, new Absent())).isEqualTo(new New());
	}

	@Test
	void asksSomeTimesOnly() {
		assertThat(after(marked("90"), present("90"), present("80"), present("70"))).isEqualTo(new Look("69", null));
		assertThat(after(marked("90"), present("90"), present("80"), present("70"), present("60")))
			.isEqualTo(new Unproven());
	}

	@Test
	void whatWasCreatedForItsShardIsNew() {
		assertThat(after(marked(ShardingLabels.FIRST_AT_CREATION), new Absent())).isEqualTo(new New());
		assertThat(after(marked(ShardingLabels.FIRST_AT_CREATION), present("90"))).isEqualTo(new Unproven());
	}

	@Test
	void aMarkOfAnotherAssignmentIsVoid() {
		assertThat(after(marked("80"), present("90"))).isEqualTo(new Unproven());
		assertThat(after(marked("80"), new Absent())).isEqualTo(new Unproven());
	}

	@Test
	void whatHadAShardIsNotNew() {
		Past owned = new Present("u", "90", Map.of(SHARD, "b"));
		assertThat(after(marked("90"), owned)).isEqualTo(new Unproven());
		assertThat(after(marked("90"), new Present("u", "90", Map.of(DRAIN, "true")))).isEqualTo(new Unproven());
		assertThat(after(marked("90"), present("90"), new Present("u", "80", Map.of(SHARD, "a"))))
			.isEqualTo(new Unproven());
	}

	@Test
	void whatTheAnswersDoNotSayIsNotProven() {
		assertThat(after(marked("90"), new Unknown())).isEqualTo(new Unproven());
		assertThat(after(marked("90"), present("90"), new Unknown())).isEqualTo(new Unproven());
		assertThat(after(marked("90"), new Present("namesake", "90", null))).isEqualTo(new Unproven());
		// A server that answers with the present does not know the past.
		assertThat(after(marked("100"), present("100"))).isEqualTo(new Unproven());
	}

	/*
	 * Whoever moves it, and however wrong the sharder is when it says that an assignment
	 * is the first one.
	 */
	@Property(tries = 3_000)
	void whatIsNewNeverHadAnOwner(@ForAll long seed, @ForAll @IntRange(min = 1, max = 14) int steps) {
		World world = new World(new Random(seed));
		for (int i = 0; i < steps; i++) {
			world.step();
		}
		for (Version version : world.versions) {
			if (version.labels != null && version.labels.getOrDefault(SHARD, "").length() > 0 && world.isNew(version)) {
				assertThat(world.ownedBefore(version)).as("%s at %s", world.versions, version).isFalse();
			}
		}
	}

	@Property
	void underOurSharderItIsProven(@ForAll long seed, @ForAll @IntRange(min = 0, max = 2) int changes) {
		World world = new World(new Random(seed));
		world.create(Map.of());
		for (int i = 0; i < changes; i++) {
			world.touch();
		}
		world.assignFirst();
		assertThat(world.isNew(world.last())).isTrue();
		world.drain();
		world.acknowledge(true);
		world.move("b", true);
		assertThat(world.isNew(world.last())).isFalse();
	}

	@Property
	void goSharderThatLeavesTheMarkMovesItAwayAndBack(@ForAll long seed) {
		World world = new World(new Random(seed));
		world.create(Map.of());
		world.assignFirst();
		String shard = world.last().labels.get(SHARD);
		assertThat(world.isNew(world.last())).isTrue();
		world.move("c", false);
		world.move(shard, false);
		assertThat(world.last().labels).containsKey(FIRST);
		assertThat(world.isNew(world.last())).isFalse();
	}

	private static Past present(String version) {
		return new Present("u", version, Map.of());
	}

	private static Map<String, String> marked(String mark) {
		return Map.of(SHARD, "a", FIRST, mark);
	}

	private static Newness after(Map<String, String> labels, Past... looks) {
		return Newness.of(RING, new Arrival("u", "100", labels), List.of(looks));
	}

	/** A version of the one name; without labels it is gone. */
	private record Version(long number, String uid, @Nullable Map<String, String> labels) {
	}

	/**
	 * An object, everything that sharders, shards and people do to it, and an API server
	 * that remembers.
	 */
	private static final class World {

		private final Random random;

		private final List<Version> versions = new ArrayList<>();

		private long revision = 5;

		private int uids;

		World(Random random) {
			this.random = random;
		}

		Version last() {
			return this.versions.get(this.versions.size() - 1);
		}

		void step() {
			if (this.versions.isEmpty() || last().labels == null) {
				create(switch (this.random.nextInt(4)) {
					case 0 -> Map.of(SHARD, shard(), FIRST, ShardingLabels.FIRST_AT_CREATION);
					case 1 -> Map.of(SHARD, shard());
					case 2 -> Map.of(SHARD, shard(), FIRST, someVersion());
					default -> Map.of();
				});
				return;
			}
			switch (this.random.nextInt(10)) {
				case 0 -> touch();
				case 1, 2 -> assignFirst();
				case 3 -> move(shard(), true);
				case 4 -> move(shard(), false);
				case 5 -> drain();
				case 6 -> acknowledge(true);
				case 7 -> acknowledge(false);
				case 8 -> change(FIRST, this.random.nextBoolean() ? ShardingLabels.FIRST_AT_CREATION : someVersion());
				default -> write(null, last().uid);
			}
		}

		void create(Map<String, String> labels) {
			write(labels, "uid-" + this.uids++);
		}

		void touch() {
			write(last().labels, last().uid);
		}

		/* Our sharder believes that it is new, rightly or not. */
		void assignFirst() {
			if (last().labels.getOrDefault(SHARD, "").isEmpty()) {
				change(SHARD, shard(), DRAIN, null, FIRST, String.valueOf(last().number));
			}
		}

		void move(String to, boolean ours) {
			if (ours) {
				change(SHARD, to, DRAIN, null, FIRST, null);
			}
			else {
				change(SHARD, to, DRAIN, null);
			}
		}

		void drain() {
			change(DRAIN, "true");
		}

		void acknowledge(boolean ours) {
			if (ours) {
				change(SHARD, null, DRAIN, null, FIRST, null);
			}
			else {
				change(SHARD, null, DRAIN, null);
			}
		}

		private void change(@Nullable String... labels) {
			Map<String, String> changed = new HashMap<>(last().labels);
			for (int i = 0; i < labels.length; i += 2) {
				if (labels[i + 1] != null) {
					changed.put(labels[i], labels[i + 1]);
				}
				else {
					changed.remove(labels[i]);
				}
			}
			write(changed, last().uid);
		}

		private void write(@Nullable Map<String, String> labels, String uid) {
			this.revision += 1 + this.random.nextInt(3);
			this.versions.add(new Version(this.revision, uid, labels));
		}

		private String shard() {
			return SHARDS.get(this.random.nextInt(SHARDS.size()));
		}

		private String someVersion() {
			return this.versions.isEmpty() ? "3"
					: String.valueOf(this.versions.get(this.random.nextInt(this.versions.size())).number);
		}

		boolean isNew(Version arrival) {
			Arrival seen = new Arrival(arrival.uid, String.valueOf(arrival.number), arrival.labels);
			List<Past> looks = new ArrayList<>();
			Newness newness = Newness.of(RING, seen, looks);
			while (newness instanceof Look look) {
				looks.add(at(Long.parseLong(look.version())));
				newness = Newness.of(RING, seen, looks);
			}
			return newness instanceof New;
		}

		private Past at(long moment) {
			Version found = null;
			for (Version version : this.versions) {
				found = (version.number <= moment) ? version : found;
			}
			return (found == null || found.labels == null) ? new Absent()
					: new Present(found.uid, String.valueOf(found.number), found.labels);
		}

		boolean ownedBefore(Version arrival) {
			return this.versions.stream()
				.anyMatch((version) -> version.number < arrival.number && version.uid.equals(arrival.uid)
						&& version.labels != null && !version.labels.getOrDefault(SHARD, "").isEmpty());
		}

	}

}
