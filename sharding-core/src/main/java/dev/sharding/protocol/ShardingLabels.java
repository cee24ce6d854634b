package dev.sharding.protocol;

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

	/**
	 * Annotation of a shard Lease: its last holder gave it back and is not at work any
	 * more. What it sent was answered, or {@link #TOUCH_DUE} stands there. It is void
	 * unless it names what the Lease says now.
	 */
	public static final String GIVEN_BACK = "sharding.dev/given-back";

	/**
	 * Annotation of a shard Lease: for how many seconds the objects of a shard that was
	 * given back wait for its next holder; absent for none.
	 */
	public static final String GRACE = "sharding.dev/grace";

	/**
	 * Annotation of a shard Lease: since when nobody has served the objects of the shard
	 * for one grace; absent while its holder has.
	 */
	public static final String GRACE_START = "sharding.dev/grace-start";

	/**
	 * Annotation of a shard Lease: writes of a former holder may still be under way, so
	 * the objects have to be touched before the first reconcile.
	 */
	public static final String TOUCH_DUE = "sharding.dev/touch-due";

	/**
	 * Annotation of a shard Lease: the leading sharder gives the shard its part of the
	 * objects since then. Only our sharder writes it.
	 */
	public static final String SETTLED = "sharding.dev/settled";

	/**
	 * Annotation of a shard Lease: the sharder made it, as objects bore the label of a
	 * shard that had none. Taken off by the shard of ours that takes it.
	 */
	public static final String MADE_BY_SHARDER = "sharding.dev/made-by-sharder";

	/**
	 * Annotation of a shard Lease: the process of this instance id has begun to stop.
	 */
	public static final String STOPPING = "sharding.dev/stopping";

	/**
	 * Annotation of a shard Lease: the hash of the pod template of its holder.
	 */
	public static final String POD_TEMPLATE_HASH = "sharding.dev/pod-template-hash";

	/**
	 * Annotation of a shard Lease: how many slots its holder believes there are.
	 */
	public static final String SLOTS = "sharding.dev/slots";

	/**
	 * Label of a shard Lease, for people: the pod of its holder.
	 */
	public static final String POD = "sharding.dev/pod";

	/**
	 * Annotation of the Lease by which sharders elect their leader: the leader of the
	 * term with this number of transitions leaves a shard that was given back to its next
	 * holder for as long as the grace lasts.
	 */
	public static final String HONOURS_SLOTS = "sharding.dev/honours-slots";

	/** Condition of a ControllerRing that says the same as {@link #HONOURS_SLOTS}. */
	public static final String CONDITION_SLOTS_HONOURED = "SlotsHonoured";

	/**
	 * Annotation of an object: the process that has touched it, so that writes of a
	 * former holder of its shard are refused.
	 */
	public static final String TOUCHED = "sharding.dev/touched";

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
