package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What does not work with the resources of a ring at the moment. Threadsafe.
 */
public final class ResourceProblems {

	private static final Duration FAILING = Duration.ofSeconds(3);

	private final Map<Place, String> problems = new ConcurrentHashMap<>();

	private final Runnable changed;

	/**
	 * Creates an empty record.
	 * @param changed called after each change, on the thread that made it
	 */
	public ResourceProblems(Runnable changed) {
		this.changed = changed;
	}

	/**
	 * Returns what does not work.
	 * @return the problem of each resource that has one, by the resource's name
	 */
	public SortedMap<String, String> byResource() {
		SortedMap<String, String> texts = new TreeMap<>();
		this.problems.forEach((place, text) -> texts.merge(place.resource, text, ResourceProblems::joined));
		return texts;
	}

	/**
	 * Returns what does not work by this record or another one.
	 * @param other the other one
	 * @return the problem of each resource that has one, by the resource's name
	 */
	public SortedMap<String, String> byResourceWith(ResourceProblems other) {
		SortedMap<String, String> texts = byResource();
		other.byResource().forEach((resource, text) -> texts.merge(resource, text, ResourceProblems::joined));
		return texts;
	}

	private static String joined(String one, String other) {
		return one.contains(other) ? one : (one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * Records that something does not work.
	 * @param resource the name of the resource
	 * @param operation what was tried
	 * @param text why it failed
	 */
	public void failed(String resource, Operation operation, String text) {
		if (!text.equals(this.problems.put(new Place(resource, operation), text))) {
			this.changed.run();
		}
	}

	/**
	 * Records that a watch could not be opened, unless it once worked and has not failed
	 * for long: re-opening a watch is daily business.
	 * @param resource the name of the resource
	 * @param operation what was tried
	 * @param text why it failed
	 * @param synced whether it has told of all that was there at first
	 * @param since for how long it has failed
	 */
	void watchFailed(String resource, Operation operation, String text, boolean synced, Duration since) {
		if (!synced || since.compareTo(FAILING) > 0) {
			failed(resource, operation, text);
		}
	}

	/**
	 * Records that something works.
	 * @param resource the name of the resource
	 * @param operation what was tried
	 */
	public void succeeded(String resource, Operation operation) {
		if (this.problems.remove(new Place(resource, operation)) != null) {
			this.changed.run();
		}
	}

	/**
	 * What is done with a resource.
	 */
	public enum Operation {

		/** Finding out its kind and version. */
		DISCOVER,

		/** Watching the objects that no available shard owns. */
		WATCH,

		/** Watching the drains. */
		WATCH_DRAINS,

		/** Listing all objects, or those of a shard. */
		LIST,

		/** Changing labels. */
		PATCH

	}

	private record Place(String resource, Operation operation) {
	}

}
