package dev.sharding.demo.chaos;

import java.util.Locale;

/**
 * Kinds of faults: whom each strikes, how long it lasts, and how long those who are
 * struck need afterwards until they can be struck again.
 */
enum Kind {

	/** SIGKILL; its time is that until there is a process of that name again. */
	KILL_SHARD(Whom.SHARD, 500, 9000, 6000, 1),
	/** SIGSTOP and SIGCONT. */
	PAUSE_SHARD(Whom.SHARD, 500, 9000, 2000, 0),
	/** SIGTERM, as at the end of a pod. */
	STOP_SHARD(Whom.SHARD, 500, 5000, 6000, 1),
	/** All connections are cut, and each new one. */
	CUT_SHARD(Whom.SHARD, 200, 9000, 2000, 0),
	/** All that goes to the API server or comes from there takes its time. */
	DELAY_SHARD(Whom.SHARD, 1000, 8000, 2000, 0),
	/** Connections stay open, and nothing goes through. */
	HALF_OPEN_SHARD(Whom.SHARD, 500, 9000, 3000, 0),
	/** Few bytes a second go through. */
	THROTTLE_SHARD(Whom.SHARD, 1000, 9000, 3000, 0),

	/**
	 * Nothing goes through, until it has lost its Lease; it has that back three seconds
	 * before its watches show what has happened.
	 */
	BLIND_SHARD(Whom.SHARD, 7500, 9000, 5500, 0),

	/** It is replaced by one whose clock is wrong by less than a Lease. */
	WRONG_CLOCK(Whom.SHARD, 1000, 6000, 8000, 1),

	/** It is replaced by one that has little memory, and that by one that has enough. */
	LOW_MEMORY(Whom.SHARD, 1000, 6000, 12_000, 2),

	/** Somebody else's name is written into the Lease. */
	EDIT_LEASE(Whom.SHARD, 0, 0, 7000, 0),
	/** The Lease is deleted. */
	DELETE_LEASE(Whom.SHARD, 0, 0, 7000, 0),
	/** The process may do nothing any more. */
	REVOKE_RIGHTS(Whom.SHARD, 500, 8000, 4000, 0),
	/** One after the other is replaced by a new one. */
	ROLL_OUT_SHARDS(Whom.RING, 0, 0, 20_000, 3),
	/** All but one shard stop at once, and come back. */
	SCALE(Whom.RING, 1000, 6000, 8000, 2),
	/** A reconcile takes its time. */
	SLOW_RECONCILE(Whom.OBJECT, 2000, 9000, 1000, 0),
	/** An object of almost a megabyte. */
	GIANT_OBJECT(Whom.OBJECT, 1000, 5000, 1000, 0),
	/** An object whose reconcile fails each time. */
	POISON_OBJECT(Whom.OBJECT, 2000, 9000, 1000, 0),
	/** The sharder that leads is killed; the other goes on, and there is a new other. */
	KILL_LEADER(Whom.LEADER, 500, 4000, 12_000, 1),
	/** It is stopped for a while, and goes on believing that it leads. */
	PAUSE_LEADER(Whom.LEADER, 500, 14_000, 4000, 0),
	/** It ends in an orderly way. */
	STOP_LEADER(Whom.LEADER, 500, 4000, 10_000, 1),
	/** It cannot reach the API server. */
	CUT_LEADER(Whom.LEADER, 500, 12_000, 4000, 0),
	/** All sharders are replaced, one after the other. */
	ROLL_OUT_SHARDERS(Whom.LEADER, 0, 0, 20_000, 2),
	/**
	 * The definition of a resource of the rings is deleted and comes back: that of one
	 * that has no objects, so that only who watches it learns of it.
	 */
	REMOVE_RESOURCE(Whom.LEADER, 2000, 9000, 5000, 0),

	/** Nobody reaches the webhook of any sharder. */
	WEBHOOK_OUTAGE(Whom.LEADER, 1000, 12_000, 2000, 0),

	/** The API server is killed and started again. */
	KILL_API_SERVER(Whom.API_SERVER, 0, 2000, 14_000, 0),
	/** It is stopped for a while. */
	PAUSE_API_SERVER(Whom.API_SERVER, 500, 8000, 8000, 0),
	/** It is restarted in an orderly way. */
	RESTART_API_SERVER(Whom.API_SERVER, 0, 0, 14_000, 0),
	/** Its store stands still. */
	PAUSE_ETCD(Whom.ETCD, 500, 5000, 8000, 0),
	/** The store forgets its past. */
	COMPACT(Whom.ETCD, 0, 0, 1000, 0),
	/** It takes no writes, as when its quota is used up. */
	FULL_ETCD(Whom.ETCD, 500, 6000, 8000, 0),

	/**
	 * It is what it was some seconds before, and all processes begin anew: what was
	 * answered meanwhile never happened.
	 */
	RESTORE_ETCD(Whom.ETCD, 1000, 4000, 26_000, 6),

	/** All processes stand still for two Leases. */
	PAUSE_ALL(Whom.ALL, 6000, 6500, 10_000, 0);

	private final Whom whom;

	private final long shortest;

	private final long longest;

	private final long recovery;

	private final int starts;

	Kind(Whom whom, long shortest, long longest, long recovery, int starts) {
		this.whom = whom;
		this.shortest = shortest;
		this.longest = longest;
		this.recovery = recovery;
		this.starts = starts;
	}

	Whom whom() {
		return this.whom;
	}

	long shortest() {
		return this.shortest;
	}

	long longest() {
		return this.longest;
	}

	/** How long those who were struck are left alone afterwards. */
	long recovery() {
		return this.recovery;
	}

	/** How many processes have to be started for it. */
	int starts(Extent extent) {
		return (this.whom == Whom.RING) ? extent.shards() : this.starts;
	}

	/** Its name in a schedule. */
	String text() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	static Kind of(String text) {
		return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
	}

	/** Whom a fault strikes. */
	enum Whom {

		/** The shard that owns an object. */
		SHARD,
		/** All shards of a ring. */
		RING,
		/** An object, and so its owner. */
		OBJECT,
		/** The sharder that leads, or all of them. */
		LEADER,
		/** The API server. */
		API_SERVER,
		/** The store. */
		ETCD,
		/** Everybody. */
		ALL;

		/** Whether it strikes one ring and nobody else. */
		boolean ofRing() {
			return this == SHARD || this == RING || this == OBJECT;
		}

		/** Whether nothing else may be wrong meanwhile. */
		boolean alone() {
			return this == API_SERVER || this == ETCD || this == ALL;
		}

	}

}
