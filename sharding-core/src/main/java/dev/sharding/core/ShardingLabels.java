package dev.sharding.core;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Label keys, annotation keys and well-known values of the wire protocol (protocol
 * section 1.1). All of them are contract: shards and sharders of other make read and
 * write the same ones.
 */
public final class ShardingLabels {

	/** Label of a shard Lease: the ring that the shard is a member of. */
	public static final String LEASE_RING = "alpha.sharding.timebertt.dev/controllerring";

	/**
	 * Label of a shard Lease: its state as the sharder last saw it. For people to look
	 * at; code computes the state anew.
	 */
	public static final String LEASE_STATE = "alpha.sharding.timebertt.dev/state";

	/** The {@code holderIdentity} of a Lease that the sharder has taken. */
	public static final String SHARDER_IDENTITY = "shardlease-controller";

	/** The value of a drain label; readers look at the presence of the label only. */
	public static final String DRAIN_REQUESTED = "true";

	/** Label for the name of the application, on objects that the sharder makes. */
	public static final String APP_NAME = "app.kubernetes.io/name";

	/** The value of {@link #APP_NAME} on objects that the sharder makes. */
	public static final String APP_NAME_SHARDER = "controller-sharding";

	/**
	 * Annotation of a shard Lease: the random identity of the process that holds it. Only
	 * our shards write it; it tells two processes of one shard name apart.
	 */
	public static final String INSTANCE_ID = "sharding.dev/instance-id";

	/**
	 * Annotation of a shard Lease: the sharder took it from a shard that may have been at
	 * work, so its claims last for one duration after its last renewal. Only our sharder
	 * reads and writes it.
	 */
	public static final String TAKEN_BY_FORCE = "sharding.dev/taken-by-force";

	/**
	 * The value of {@link #first} on an object that had its shard from the request that
	 * created it.
	 */
	public static final String FIRST_AT_CREATION = "created";

	/**
	 * Annotation of a shard Lease, for people to set: the shard gets no objects, and is
	 * asked to let go of those that it has.
	 */
	public static final String CORDONED = "sharding.dev/cordoned";

	/**
	 * Annotation of a ControllerRing, for people to set: no shard is asked to let go of
	 * an object. What has no owner still gets one.
	 */
	public static final String PAUSED = "sharding.dev/paused";

	private static final String SHARD_PREFIX = "shard.alpha.sharding.timebertt.dev/";

	private static final String DRAIN_PREFIX = "drain.alpha.sharding.timebertt.dev/";

	private static final String FIRST_PREFIX = "first.sharding.dev/";

	private ShardingLabels() {
	}

	/**
	 * Tells whether somebody has set one of {@link #CORDONED} and {@link #PAUSED}.
	 * @param annotations the annotations, or {@code null} if there are none
	 * @param annotation the key of the annotation
	 * @return {@code true} unless it is absent or says {@code false}
	 */
	public static boolean isSet(@Nullable Map<String, String> annotations, String annotation) {
		String value = (annotations != null) ? annotations.get(annotation) : null;
		return value != null && !"false".equals(value);
	}

	/**
	 * Returns the key of the label that names the shard to which an object is assigned.
	 * @param ring the name of the ControllerRing
	 * @return the label key
	 */
	public static String shard(String ring) {
		return SHARD_PREFIX + ring;
	}

	/**
	 * Returns the key of the label that asks the shard to let go of an object.
	 * @param ring the name of the ControllerRing
	 * @return the label key
	 */
	public static String drain(String ring) {
		return DRAIN_PREFIX + ring;
	}

	/**
	 * Returns the key of the label by which our sharder says that the assignment is the
	 * first one of the object since it has known it. The value is the resource version
	 * that was assigned, or {@link #FIRST_AT_CREATION}. It proves nothing by itself.
	 * @param ring the name of the ControllerRing
	 * @return the label key
	 */
	public static String first(String ring) {
		return FIRST_PREFIX + ring;
	}

	/**
	 * Returns the label selector for the Leases of a ring's shards.
	 * @param ring the name of the ControllerRing
	 * @return a selector as the API server takes it
	 */
	public static String leaseSelector(String ring) {
		return LEASE_RING + "=" + ring;
	}

	/**
	 * Tells whether {@code label} belongs to the sharding of any ring, so that whoever
	 * writes an object must leave it as it is.
	 * @param label a label key
	 * @return {@code true} for shard and drain labels, and for the mark of a first shard
	 */
	public static boolean isSharding(String label) {
		return label.startsWith(SHARD_PREFIX) || label.startsWith(DRAIN_PREFIX) || label.startsWith(FIRST_PREFIX);
	}

}
