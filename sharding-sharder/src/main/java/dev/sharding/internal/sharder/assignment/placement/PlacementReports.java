package dev.sharding.internal.sharder.assignment.placement;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.activity.ObjectRef;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.resource.ObjectKey;

/**
 * Turns what became of objects into problems of their resources. A resource has a problem
 * as long as one of its objects could not be placed; its text is that of the object that
 * has had it for longest, as each text is an Event. Threadsafe.
 */
public final class PlacementReports {

	/* Of those beyond it, each attempt is told, but not when it is over. */
	private static final int REMEMBERED = 1_000;

	private static final int LONGEST_TEXT = 500;

	private final ResourceProblems problems;

	private final Map<ShardedResource, Map<ObjectKey, Failure>> failing = new HashMap<>();

	private int passes;

	private int begun;

	public PlacementReports(ResourceProblems problems) {
		this.problems = problems;
	}

	public Placement report(Placement placement) {
		ShardedObject object = placement.object();
		ApiException failure = placement.failure();
		if (failure != null && !placement.isFenced()) {
			String text = String.valueOf(failure.getMessage());
			failed(object, text.substring(0, Math.min(text.length(), LONGEST_TEXT)));
		}
		else if (placement.outcome() == Outcome.PATCHED || placement.outcome() == Outcome.SETTLED
				|| placement.outcome() == Outcome.GONE) {
			ended(object);
		}
		return placement;
	}

	private synchronized void failed(ShardedObject object, String text) {
		Map<ObjectKey, Failure> failures = this.failing.computeIfAbsent(object.resource(),
				(absent) -> new LinkedHashMap<>());
		if (failures.size() < REMEMBERED || failures.containsKey(object.key())) {
			Failure before = failures.put(object.key(), new Failure(text, this.passes));
			this.begun += (before == null) ? 1 : 0;
		}
		tell(object.resource(), failures);
	}

	private synchronized void ended(ShardedObject object) {
		Map<ObjectKey, Failure> failures = this.failing.get(object.resource());
		if (failures != null && failures.remove(object.key()) != null) {
			tell(object.resource(), failures);
		}
	}

	/**
	 * A resync has seen every object. Who failed before the one before it, and not since,
	 * was deleted or needs nothing any more.
	 */
	public synchronized void passed() {
		this.passes++;
		this.failing.forEach((resource, failures) -> {
			if (failures.values().removeIf((failure) -> failure.passes < this.passes - 1)) {
				tell(resource, failures);
			}
		});
	}

	/** How often an object began to fail that had not failed before, or not since. */
	public synchronized int begun() {
		return this.begun;
	}

	/** The number of objects that could not be placed. */
	public synchronized int failing() {
		return this.failing.values().stream().mapToInt(Map::size).sum();
	}

	/** Why objects could not be placed. */
	public synchronized Map<ObjectRef, String> failures() {
		Map<ObjectRef, String> failures = new HashMap<>();
		this.failing.forEach((resource, failed) -> failed.forEach((key, failure) -> failures
			.put(new ObjectRef(resource.toString(), key.namespace(), key.name()), failure.text)));
		return failures;
	}

	private void tell(ShardedResource resource, Map<ObjectKey, Failure> failures) {
		Iterator<Failure> first = failures.values().iterator();
		if (first.hasNext()) {
			this.problems.failed(resource.toString(), Operation.PATCH, first.next().text);
		}
		else {
			this.problems.succeeded(resource.toString(), Operation.PATCH);
		}
	}

	/* After how many passes it came. */
	private record Failure(String text, int passes) {
	}

}
