package dev.sharding.benchmarks.rollout;

/** What shards are named by. */
enum Naming {

	/** The names of pods, which are new with each process. */
	PODS,

	/** The names of the pods of a StatefulSet, which come back, with a grace. */
	STATEFUL,

	/** Slots. */
	SLOTS

}
