package dev.sharding.internal.sharder.overview;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One shard. Times are ISO-8601 in UTC.
 *
 * @param name its name, which is that of its Lease
 * @param namespace the namespace of its Lease, {@code null} if it has none
 * @param state that of its Lease; {@code not believed}, or {@code no Lease} if it only
 * has objects
 * @param pod the pod that holds it, as the Lease says, {@code null} if nobody does or the
 * shard does not say
 * @param available whether it may have objects
 * @param member {@code settling} while it keeps what it has and nothing else belongs to
 * it yet, {@code given back} while what belongs to it waits for its next holder, else
 * {@code null}
 * @param cordoned whether it is to get none
 * @param doubt why its Lease is not believed, or what else is wrong with it
 * @param renewed when it was renewed last
 * @param expires when it runs out unless it is renewed
 * @param objects how many objects it has, by resource
 * @param draining how many of them it is asked for
 */
public record ShardOverview(String name, @Nullable String namespace, String state, @Nullable String pod,
		boolean available, @Nullable String member, boolean cordoned, @Nullable String doubt, @Nullable String renewed,
		@Nullable String expires, Map<String, Integer> objects, int draining) {
}
