package dev.sharding.demo;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What is wrong with the programs of a run: nothing, or one thing, as a negative control.
 */
public enum Fault {

	/** Nothing. */
	NONE(null, null, Map.of()),

	/** The shards acknowledge drains before their reconcile ended. */
	ACK("EarlyAcknowledgement", null, Map.of()),

	/** The shards write although they cannot prove their Lease. */
	FENCE("NoFence", null, Map.of()),

	/** The sharder moves main objects and leaves their controlled objects behind. */
	ORDER(null, "MainObjectsFirst", Map.of("SHARDING_SHARDER_SYNC_PERIOD", "5s")),

	/**
	 * A shard that has lost its Lease goes on, once it has it back, as if nothing was.
	 */
	REJOIN("BlindRejoin", null, Map.of()),

	/** The shards do all that they should, much too late. */
	LAZY("LazyShard", null, Map.of()),

	/** The shards also read what others have. */
	NOSY("NosyShard", null, Map.of()),

	/** The sharder takes Leases of shards that live. */
	STEAL(null, "LeaseThief", Map.of()),

	/** The sharder never takes the Lease of a shard that is gone. */
	NEVER(null, "NeverTakes", Map.of()),

	/** The shards do nothing about every twentieth event. */
	DROP("ForgetfulShard", null, Map.of()),

	/** The shards' reads do not show their own last write. */
	PAST("PastOwnWrites", null, Map.of()),

	/** The shards' consistent reads show the past. */
	STALE("PastReads", null, Map.of()),

	/** Every other sharder acts, whoever leads. */
	LEADER(null, "dev.sharding.demo.held.HeldSharder", Map.of("SHARDING_SHARDER_LEADERELECTION_ENABLED", "false")),

	/** The shards list again and again. */
	STORM("StormOfLists", null, Map.of()),

	/** The shards acknowledge drains whatever has become of the object. */
	BLIND("BlindAcknowledgement", null, Map.of()),

	/** The shards do not let go what is deleted. */
	KEEP("KeptFinalizers", null, Map.of()),

	/** The shards give their slots back once more when others have them. */
	FREE("FreesTwice", null, Map.of());

	private static final String PACKAGE = "dev.sharding.demo.broken.";

	private final @Nullable String shard;

	private final @Nullable String sharder;

	private final Map<String, String> settings;

	Fault(@Nullable String shard, @Nullable String sharder, Map<String, String> settings) {
		this.shard = shard;
		this.sharder = sharder;
		this.settings = settings;
	}

	/** A shard with this fault. */
	public Role shard(Role role) {
		return (this.shard != null) ? broken(role, this.shard) : role;
	}

	/** A sharder with this fault. */
	public Role sharder(Role role) {
		return (this.sharder != null) ? broken(role, this.sharder) : role;
	}

	/** Whether the sharder has the fault. */
	boolean breaksSharder() {
		return this.sharder != null;
	}

	private Role broken(Role role, String main) {
		Role broken = role.running(main.contains(".") ? main : PACKAGE + main);
		for (Map.Entry<String, String> setting : this.settings.entrySet()) {
			broken = broken.with(setting.getKey(), setting.getValue());
		}
		return broken;
	}

}
