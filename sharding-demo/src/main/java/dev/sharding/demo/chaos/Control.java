package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;

import dev.sharding.demo.Fault;
import dev.sharding.judge.Counter;

/**
 * A negative control: programs that are broken in one way, what is done to them so that
 * it shows, and what the judge has to see first.
 */
enum Control {

	ACK(Fault.ACK, Counter.DOUBLE_RECONCILED, Step.of(Kind.SCALE, 1500)),

	FENCE(Fault.FENCE, Counter.WRITES_AFTER_LEASE_END, Step.of(Kind.PAUSE_SHARD, 9000),
			Step.of(Kind.PAUSE_SHARD, 9000)),

	ORDER(Fault.ORDER, Counter.MOVED_BEFORE_DERIVED, Step.of(Kind.SCALE, 1500)),

	REJOIN(Fault.REJOIN, Counter.DOUBLE_RECONCILED, Step.of(Kind.BLIND_SHARD, 9000)),

	NOSY(Fault.NOSY, Counter.READS_OF_OTHERS, Step.of(Kind.STOP_SHARD, 500)),

	LAZY(Fault.LAZY, Counter.UNSERVED, Step.calm()),

	STEAL(Fault.STEAL, Counter.LEASE_STOLEN, Step.calm()),

	NEVER(Fault.NEVER, Counter.UNASSIGNED, Step.of(Kind.KILL_SHARD, 9000)),

	/** So many objects that the next change of one seldom makes good what was missed. */
	DROP(Fault.DROP, Counter.UNSERVED, 120, Step.calm()),

	PAST(Fault.PAST, Counter.OWN_WRITES_UNREAD, Step.calm()),

	STALE(Fault.STALE, Counter.STALE_READS, Step.calm()),

	LEADER(Fault.LEADER, Counter.ACTED_WITHOUT_LEAD, Step.of(Kind.SCALE, 1500)),

	STORM(Fault.STORM, Counter.TOO_MANY_LISTS, Step.calm()),

	BLIND(Fault.BLIND, Counter.WITHOUT_VERSION, Step.of(Kind.SCALE, 1500)),

	KEEP(Fault.KEEP, Counter.LEFT_BEHIND, Step.calm()),

	FREE(Fault.FREE, Counter.LEASE_STOLEN, Step.of(Kind.ROLL_OUT_SHARDS, 0));

	private static final int OBJECTS = 48;

	private static final long FIRST = 2500;

	private static final long GAP = 2000;

	/** An odd number, so that who is killed has no namesake. */
	private static final int SECRET = 7;

	private final Fault fault;

	private final Counter counter;

	private final int objects;

	private final List<Step> steps;

	Control(Fault fault, Counter counter, Step... steps) {
		this(fault, counter, OBJECTS, steps);
	}

	Control(Fault fault, Counter counter, int objects, Step... steps) {
		this.fault = fault;
		this.counter = counter;
		this.objects = objects;
		this.steps = List.of(steps);
	}

	/** What is wrong with the programs. */
	Fault fault() {
		return this.fault;
	}

	/** What has to be seen first. */
	Counter counter() {
		return this.counter;
	}

	/** Its name on the command line. */
	String text() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** What is done to the programs. */
	Schedule schedule(long seed) {
		List<Planned> faults = new ArrayList<>();
		long at = FIRST;
		for (Step step : this.steps) {
			faults.add(new Planned(1, at, null, at, step.kind(), 0, SECRET, step.lasts()));
			at += step.lasts() + GAP;
		}
		// Small, and long enough for a Lease to end.
		return new Schedule(new Extent(1, 2, this.objects, 1, 25_000, this == FREE), seed, faults);
	}

	/**
	 * Some of them, others with each seed.
	 * @param number how many
	 */
	static List<Control> rotating(long seed, int number) {
		List<Control> all = new ArrayList<>(List.of(values()));
		// A Random begins with much the same numbers for seeds that follow each other.
		Collections.shuffle(all, new Random(new SplittableRandom(seed).nextLong()));
		return List.copyOf(all.subList(0, Math.min(number, all.size())));
	}

	/** One after the other. */
	record Step(Kind kind, long lasts) {

		static Step of(Kind kind, long lasts) {
			return new Step(kind, lasts);
		}

		/**
		 * One object waits, and all else goes on: long enough for changes, deletions and
		 * reads to come and to be late.
		 */
		static Step calm() {
			return of(Kind.SLOW_RECONCILE, 12_000);
		}

	}

}
