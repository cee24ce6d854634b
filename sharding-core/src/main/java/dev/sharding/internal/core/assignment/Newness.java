package dev.sharding.internal.core.assignment;

import java.util.List;
import java.util.Map;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;

/**
 * Whether an object that came to a shard can have had another owner before. What an owner
 * made for it may be missing in the caches of the next one, so without a proof they have
 * to be brought up to date first.
 *
 * <p>
 * The mark of our sharder says that it has known the object since it was created, so that
 * nobody but a shard can have acted on it. The proof is the object's own past, asked from
 * the API server version by version, back to its creation: no version of it may name a
 * shard. A mark that was left behind or copied is void, as it names the version that was
 * assigned, and what came right before the arrival is another one.
 */
public sealed interface Newness {

	/** How many versions are asked for; few objects are changed before they arrive. */
	int MOST_LOOKS = 4;

	/**
	 * Decides about an object by what is known of its past so far.
	 * @param ring the name of the ControllerRing
	 * @param arrival the object in the first version that the shard saw
	 * @param looks the answers so far, the latest moment first
	 * @return what follows
	 */
	static Newness of(String ring, Arrival arrival, List<Past> looks) {
		String mark = arrival.labels().get(ShardingLabels.first(ring));
		if (mark == null) {
			return new Unproven();
		}
		String asked = ResourceVersions.before(arrival.version());
		for (int i = 0; i < looks.size() && asked != null; i++) {
			Past past = looks.get(i);
			if (past instanceof Absent) {
				return (i > 0 || mark.equals(ShardingLabels.FIRST_AT_CREATION)) ? new New() : new Unproven();
			}
			if (!(past instanceof Present present) || !present.isUnowned(ring, arrival.uid())
					|| ResourceVersions.compare(asked, present.version()) == Order.BEFORE
					|| (i == 0 && !mark.equals(present.version()))) {
				return new Unproven();
			}
			asked = ResourceVersions.before(present.version());
		}
		if (asked == null || looks.size() == MOST_LOOKS) {
			return new Unproven();
		}
		return new Look(asked, looks.isEmpty() ? ResourceVersions.before(mark) : null);
	}

	/** No shard had it before: what it controls cannot have been made by another one. */
	record New() implements Newness {
	}

	/** Another shard may have had it: the caches have to be brought up to date. */
	record Unproven() implements Newness {
	}

	/**
	 * It has to be asked what the object was like at a moment.
	 *
	 * @param version the resource version of that moment
	 * @param next the moment that will be asked for next if all is as the mark says, so
	 * that both can be asked for at once; otherwise {@code null}
	 */
	record Look(String version, @Nullable String next) implements Newness {
	}

	/**
	 * An object as a shard saw it first.
	 *
	 * @param uid its uid
	 * @param version its resource version
	 * @param labels its labels
	 */
	record Arrival(String uid, String version, Map<String, String> labels) {
	}

	/**
	 * What the API server says about an object at an earlier moment.
	 */
	sealed interface Past {

	}

	/** There was no object of that name. */
	record Absent() implements Past {
	}

	/** It does not say, or not about exactly that moment. */
	record Unknown() implements Past {
	}

	/**
	 * There was an object of that name.
	 *
	 * @param uid its uid
	 * @param version the resource version that it had then
	 * @param labels its labels, or {@code null} if it had none
	 */
	record Present(String uid, String version, @Nullable Map<String, String> labels) implements Past {

		private boolean isUnowned(String ring, String expected) {
			if (!this.uid.equals(expected)) {
				return false;
			}
			if (this.labels == null) {
				return true;
			}
			String shard = this.labels.get(ShardingLabels.shard(ring));
			return (shard == null || shard.isEmpty()) && !this.labels.containsKey(ShardingLabels.drain(ring));
		}

	}

}
