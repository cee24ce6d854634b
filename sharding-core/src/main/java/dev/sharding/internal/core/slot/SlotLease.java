package dev.sharding.internal.core.slot;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.ShardClaim;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * The Lease of a shard with what its holders and the sharder have noted on it.
 *
 * @param record what its spec says, and who holds it
 * @param ring the ring whose label it bears, {@code null} for none
 * @param uid the identity of the object; {@code null} before it is created
 * @param annotations all its annotations but the instance id, which is in the record
 */
public record SlotLease(LeaseRecord record, @Nullable String ring, @Nullable String uid,
		Map<String, String> annotations) {

	/** No grace is longer. */
	public static final Duration LONGEST_GRACE = Duration.ofMinutes(5);

	/**
	 * Copies the annotations.
	 */
	public SlotLease {
		annotations = Map.copyOf(annotations);
	}

	/**
	 * Tells whether a shard of ours has held it.
	 * @return {@code false} if it may be the Lease of a Go shard
	 */
	public boolean isOurs() {
		return this.record.instanceId() != null;
	}

	/**
	 * Tells whether it may be a slot's.
	 * @return {@code false} if it may be the Lease of a Go shard, whose name would be its
	 * own; what the sharder made and nobody holds is nobody's
	 */
	boolean isOfSlot() {
		return isOurs() || (this.annotations.containsKey(ShardingLabels.MADE_BY_SHARDER)
				&& ShardClaim.isGivenBack(this.record));
	}

	/**
	 * Tells whether its last holder gave it back, so that nothing of it can come any more
	 * unless a {@linkplain #isTouchDue() touch is due}. The mark is bound to the object
	 * and to what it says: it is void once anybody has written the spec, and on a copy.
	 * @return {@code true} if it may be taken at once
	 */
	public boolean isGivenBack() {
		String mark = this.annotations.get(ShardingLabels.GIVEN_BACK);
		return mark != null && isOurs() && ShardClaim.isGivenBack(this.record)
				&& mark.equals(mark(this.record, this.uid));
	}

	/**
	 * Tells whether its objects wait for the next holder.
	 * @return {@code true} if it was given back by a shard with a grace
	 */
	public boolean isWaitedFor() {
		return isGivenBack() && !grace().isZero();
	}

	/**
	 * Returns how long the objects of the shard wait once it is given back.
	 * @return the grace, zero if there is none or it is not written well, five minutes at
	 * most
	 */
	public Duration grace() {
		String seconds = this.annotations.get(ShardingLabels.GRACE);
		if (seconds == null) {
			return Duration.ZERO;
		}
		try {
			long most = LONGEST_GRACE.toSeconds();
			return Duration.ofSeconds(Math.max(0, Math.min(most, Long.parseLong(seconds))));
		}
		catch (NumberFormatException ex) {
			return Duration.ZERO;
		}
	}

	/**
	 * Returns since when nobody has served the objects for one grace.
	 * @return the wall time of whoever noted it, {@code null} if the holder has served
	 */
	public @Nullable Instant graceStart() {
		Instant noted = instant(ShardingLabels.GRACE_START);
		return (noted == null && isGivenBack()) ? this.record.renewTime() : noted;
	}

	/**
	 * Tells whether writes of a former holder may still come for the objects, so that
	 * they must be touched before the first reconcile.
	 * @return {@code true} if somebody has noted so and nobody has touched them all since
	 */
	public boolean isTouchDue() {
		return this.annotations.containsKey(ShardingLabels.TOUCH_DUE);
	}

	/**
	 * Returns when the leading sharder made the ring that the shard came in with.
	 * @return the wall time of that sharder, {@code null} if it has not
	 */
	public @Nullable Instant settled() {
		return instant(ShardingLabels.SETTLED);
	}

	/**
	 * Tells whether its holder has begun to stop.
	 * @return {@code true} from its announcement until somebody else holds the Lease
	 */
	public boolean isStopping() {
		String stopping = this.annotations.get(ShardingLabels.STOPPING);
		return stopping != null && stopping.equals(this.record.instanceId()) && this.record.isHeldByItself();
	}

	/**
	 * Returns the hash of the pod template of the last holder.
	 * @return the hash, {@code null} if it is not known
	 */
	public @Nullable String template() {
		return this.annotations.get(ShardingLabels.POD_TEMPLATE_HASH);
	}

	/** What the mark says if the Lease is given back as it stands. */
	static String mark(LeaseRecord record, @Nullable String uid) {
		Integer transitions = record.leaseTransitions();
		return ((transitions != null) ? transitions : 0) + "/" + record.renewTime() + "/" + uid;
	}

	private @Nullable Instant instant(String annotation) {
		String text = this.annotations.get(annotation);
		try {
			return (text != null) ? Instant.parse(text) : null;
		}
		catch (DateTimeException ex) {
			return null;
		}
	}

}
