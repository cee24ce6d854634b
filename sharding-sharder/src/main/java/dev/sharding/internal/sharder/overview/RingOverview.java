package dev.sharding.internal.sharder.overview;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One ring. Times are ISO-8601 in UTC.
 *
 * @param name its name
 * @param paused whether objects stay with their owners
 * @param availableShards how many shards may have objects
 * @param conditions what its status says
 * @param resources what is shared out, main resources first
 * @param shards its shards by name, and those that only have objects
 * @param unowned how many objects no available shard owns, as far as watches have told
 * @param orphans those of them that are so for longer than it should take, and what else
 * could not be placed; not all of them where there are many
 * @param moving what changes hands: asked for, or without owner for a moment
 * @param latest what happened to main objects last, the latest first
 */
public record RingOverview(String name, boolean paused, int availableShards, List<Condition> conditions,
		List<Resource> resources, List<ShardOverview> shards, int unowned, List<Misplaced> orphans,
		List<Misplaced> moving, List<Event> latest) {

	/**
	 * A condition of the ring.
	 *
	 * @param type its type
	 * @param status {@code True}, {@code False} or {@code Unknown}; true is well
	 * @param reason one word
	 * @param message a sentence
	 * @param since when the status was another one last
	 */
	public record Condition(String type, String status, String reason, String message, @Nullable String since) {
	}

	/**
	 * A resource of the ring.
	 *
	 * @param name its name with its group, such as {@code deployments.apps}
	 * @param main whether its objects are shared out; those of others go with them
	 * @param objects how many objects of it there are
	 * @param countedAt when all of them were counted last; {@code null} if that is still
	 * to come, and only what was done since the leader began is known
	 */
	public record Resource(String name, boolean main, int objects, @Nullable String countedAt) {
	}

	/**
	 * An object that is not where it belongs.
	 *
	 * @param resource its resource
	 * @param namespace its namespace, empty if it has none
	 * @param name its name
	 * @param state {@code draining}, {@code without owner}, or {@code not placed}: it was
	 * refused to label it
	 * @param owner the shard that its label names
	 * @param since since when, {@code null} if that is not known
	 * @param reason why it could not be placed, {@code null} if nothing failed
	 */
	public record Misplaced(String resource, String namespace, String name, String state, @Nullable String owner,
			@Nullable String since, @Nullable String reason) {
	}

	/**
	 * Something that happened to an object.
	 *
	 * @param number grows
	 * @param at when
	 * @param what {@code assigned}, {@code moved}, {@code asked} or {@code let go}
	 * @param resource the resource of the object
	 * @param namespace its namespace, empty if it has none
	 * @param name its name
	 * @param from the shard that had it
	 * @param to the shard that has it since
	 */
	public record Event(long number, String at, String what, String resource, String namespace, String name,
			@Nullable String from, @Nullable String to) {
	}

	/**
	 * How many objects a shard has.
	 * @param byResource by resource
	 * @return all of them
	 */
	static int sum(Map<String, Integer> byResource) {
		return byResource.values().stream().mapToInt(Integer::intValue).sum();
	}

}
