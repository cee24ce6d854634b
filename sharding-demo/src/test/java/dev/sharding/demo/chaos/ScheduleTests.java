package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The laws of a schedule. */
class ScheduleTests {

	private static final Extent SMALL = new Extent(3, 3, 120, 2, Extent.WINDOW_MILLIS, false);

	private static final Set<Kind> LOSSES = EnumSet.of(Kind.PAUSE_SHARD, Kind.CUT_SHARD, Kind.HALF_OPEN_SHARD);

	private static final Set<Kind> LEADERS = EnumSet.of(Kind.KILL_LEADER, Kind.STOP_LEADER, Kind.PAUSE_LEADER,
			Kind.CUT_LEADER);

	@Property(tries = 20)
	void playsNothingButWhatWasAskedForAndEachAsOften(@ForAll long seed) {
		Map<Kind, Long> played = Schedule
			.of(new Extent(20, 3, 60, 1, Extent.WINDOW_MILLIS, false), seed,
					EnumSet.of(Kind.KILL_SHARD, Kind.ROLL_OUT_SHARDS))
			.faults()
			.stream()
			.collect(Collectors.groupingBy(Planned::kind, Collectors.counting()));
		assertThat(played).containsOnlyKeys(Kind.KILL_SHARD, Kind.ROLL_OUT_SHARDS);
		assertThat(Math.abs(played.get(Kind.KILL_SHARD) - played.get(Kind.ROLL_OUT_SHARDS))).isLessThanOrEqualTo(3);
	}

	@Property(tries = 200)
	void isAFunctionOfExtentAndSeed(@ForAll("extents") Extent extent, @ForAll long seed) {
		assertThat(Schedule.of(extent, seed)).isEqualTo(Schedule.of(extent, seed));
	}

	@Property(tries = 200)
	void isReadAsItWasWritten(@ForAll("extents") Extent extent, @ForAll long seed) {
		Schedule schedule = Schedule.of(extent, seed);
		assertThat(ScheduleLines.parse(ScheduleLines.of(schedule))).isEqualTo(schedule);
	}

	@Property(tries = 200)
	void endsEachMinuteInTimeForAllToBeInItsPlace(@ForAll("extents") Extent extent, @ForAll long seed) {
		assertThat(Schedule.of(extent, seed).faults()).allSatisfy((fault) -> {
			assertThat(fault.minute()).isBetween(1, extent.minutes());
			assertThat(fault.at()).isPositive().isLessThanOrEqualTo(fault.by());
			assertThat(fault.over()).isLessThanOrEqualTo(extent.windowMillis());
			assertThat(fault.lasts()).isBetween(fault.kind().shortest(), fault.kind().longest());
		});
	}

	@Property(tries = 200)
	void strikesNobodyTwiceAtATime(@ForAll("extents") Extent extent, @ForAll long seed) {
		List<Planned> faults = Schedule.of(extent, seed).faults();
		for (Planned one : faults) {
			for (Planned other : faults) {
				assertThat(one == other || one.apartFrom(other)).as("%s and %s", one, other).isTrue();
			}
		}
	}

	@Property(tries = 200)
	void namesRolesThatThereAre(@ForAll("extents") Extent extent, @ForAll long seed) {
		assertThat(Schedule.of(extent, seed).faults()).allSatisfy((fault) -> {
			assertThat(fault.ring()).isBetween(0, extent.rings() - 1);
			assertThat(fault.secret()).isBetween(0, extent.objects() - 1);
			if (fault.kind().whom().ofRing()) {
				assertThat(extent.ringOf(fault.secret())).isEqualTo(fault.ring());
			}
		});
	}

	@Property(tries = 50)
	void startsNoMoreProcessesInAMinuteThanAMachineCan(@ForAll("extents") Extent extent, @ForAll long seed) {
		Schedule schedule = Schedule.of(extent, seed);
		for (int minute = 1; minute <= extent.minutes(); minute++) {
			int starts = schedule.of(minute).stream().mapToInt((fault) -> fault.kind().starts(extent)).sum();
			assertThat(starts).isLessThanOrEqualTo(Math.max(Schedule.STARTS, extent.shards()));
		}
	}

	@Property(tries = 50)
	void playsEachKindInALongRunAndNoneMuchMoreOftenThanAnother(@ForAll long seed) {
		Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
		Schedule.of(new Extent(60, 3, 120, 2, Extent.WINDOW_MILLIS, false), seed)
			.faults()
			.forEach((fault) -> counts.merge(fault.kind(), 1, Integer::sum));
		assertThat(counts.keySet()).containsExactly(Kind.values());
		int most = counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
		assertThat(counts.values()).allSatisfy((count) -> assertThat(count).isGreaterThanOrEqualTo(most / 2 - 1));
	}

	@Property(tries = 100)
	void isOneStillWithSomeOfItsFaults(@ForAll("extents") Extent extent, @ForAll long seed, @ForAll Random random) {
		Schedule schedule = Schedule.of(extent, seed);
		List<Planned> some = schedule.faults().stream().filter((fault) -> random.nextBoolean()).toList();
		Schedule left = schedule.with(some);
		assertThat(ScheduleLines.parse(ScheduleLines.of(left))).isEqualTo(left);
		assertThat(left.faults()).hasSameSizeAs(some);
		int minutes = (int) some.stream().map(Planned::minute).distinct().count();
		assertThat(left.extent().minutes()).isEqualTo(Math.max(1, minutes));
		for (int minute = 1; minute <= minutes; minute++) {
			assertThat(left.of(minute)).isNotEmpty();
		}
		assertThat(schedule.with(schedule.faults()).faults()).hasSameSizeAs(schedule.faults());
	}

	/** Else the run of each build could pass, or not, for want of anything to happen. */
	@Test
	void hasForTheFixedRunOfEachBuildWhatCertainlyShowsSomething() {
		List<Planned> faults = Schedule.of(ChaosIT.EXTENT, ChaosIT.FIXED).faults();
		assertThat(faults).as("a shard that is killed, and comes back under another name")
			.anyMatch((fault) -> fault.kind() == Kind.KILL_SHARD && fault.secret() % 2 == 1);
		assertThat(faults).as("a shard that is away for much longer than two Leases")
			.anyMatch(ScheduleTests::losesALease);
		assertThat(faults).as("a sharder that leads no more")
			.anyMatch((fault) -> LEADERS.contains(fault.kind()) && fault.lasts() >= 3000);
		assertThat(faults).as("a webhook that nobody reaches").anyMatch((fault) -> fault.kind() == Kind.WEBHOOK_OUTAGE);
	}

	/** It is away for so long that the sharder takes its Lease. */
	static boolean losesALease(Planned fault) {
		return LOSSES.contains(fault.kind()) && fault.lasts() >= 8000;
	}

	/** Somebody leads all the time that it is away. */
	static boolean losesALeaseToALeader(Schedule schedule) {
		return schedule.faults()
			.stream()
			.filter(ScheduleTests::losesALease)
			.anyMatch((fault) -> schedule.faults()
				.stream()
				.filter((other) -> LEADERS.contains(other.kind()) || other.kind() == Kind.ROLL_OUT_SHARDERS)
				.allMatch((other) -> other.minute() != fault.minute() || other.over() < fault.at()
						|| fault.by() + fault.lasts() < other.at()));
	}

	@Test
	void differsFromSeedToSeed() {
		Set<List<Planned>> schedules = new HashSet<>();
		for (long seed = 0; seed < 100; seed++) {
			schedules.add(Schedule.of(SMALL, seed).faults());
		}
		assertThat(schedules).hasSize(100);
	}

	@Test
	void refusesLinesThatAreNoSchedule() {
		assertThatIllegalArgumentException().isThrownBy(() -> ScheduleLines.parse(List.of()));
		assertThatIllegalArgumentException().isThrownBy(() -> ScheduleLines.parse(List.of("no JSON")));
		List<String> lines = new ArrayList<>(ScheduleLines.of(Schedule.of(SMALL, 1)));
		lines.set(1, lines.get(1).replace("\"fault\":\"", "\"fault\":\"no-"));
		assertThatIllegalArgumentException().isThrownBy(() -> ScheduleLines.parse(lines));
	}

	@Test
	void putsEachSecretIntoANamespaceOfItsRingAndSomeThatComeAndGoIntoEach() {
		for (int secret = 0; secret < SMALL.objects(); secret++) {
			String namespace = SMALL.namespaceOf("secret-" + secret);
			assertThat(SMALL.sites().get(SMALL.ringOf(secret)).namespaces()).contains(namespace);
		}
		assertThat(Arrays.asList(SMALL.ringOf(5), SMALL.ringOf(11))).containsExactly(0, 1);
	}

	@Provide
	Arbitrary<Extent> extents() {
		return Combinators
			.combine(Arbitraries.integers().between(1, 10), Arbitraries.integers().between(1, 5),
					Arbitraries.integers().between(1, 500), Arbitraries.integers().between(1, 3),
					Arbitraries.longs().between(10_000, 90_000), Arbitraries.of(true, false))
			.as(Extent::new);
	}

}
