package dev.sharding.demo;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.sharding.judge.JudgeRing;

/**
 * What the watches have told so far: where each object is and what the Leases say. All
 * methods can be called from any thread.
 */
final class Board {

	private final Map<String, Placed> objects = new HashMap<>();

	/** What was ever deleted: how long that takes is not what we want to know. */
	private final Set<String> everGone = new HashSet<>();

	private final Map<String, String> shards = new TreeMap<>();

	private final Map<String, String> instances = new HashMap<>();

	private final Times times = new Times();

	synchronized void secret(String name, String resourceVersion, String owner, boolean draining, long nanos) {
		Placed before = this.objects.getOrDefault(name, Placed.NOWHERE);
		this.objects.put(name, before.withSecret(resourceVersion, owner, draining));
		if (!owner.isEmpty() && !owner.equals(before.owner()) && !this.everGone.contains(name)) {
			this.times.owned(name, nanos);
		}
		if (draining && !before.draining()) {
			this.times.drainAsked(name, nanos);
		}
	}

	synchronized void secretGone(String name) {
		this.objects.remove(name);
		this.everGone.add(name);
	}

	synchronized void configMap(String secret, String owner, String stamped) {
		this.objects.merge(secret, Placed.NOWHERE.withConfigMap(owner, stamped),
				(before, after) -> before.withConfigMap(owner, stamped));
	}

	synchronized void configMapGone(String secret) {
		this.objects.computeIfPresent(secret, (name, placed) -> placed.withConfigMap("", ""));
	}

	/**
	 * A Lease was seen.
	 * @param state what to show for it
	 */
	synchronized void shard(String name, String state) {
		this.shards.put(name, state);
	}

	/** A process of that shard has written its Lease. */
	synchronized void instance(String shard, String id) {
		this.instances.put(shard, id);
	}

	/** Which process of that shard has written its Lease last, empty if none has. */
	synchronized String instanceOf(String shard) {
		return this.instances.getOrDefault(shard, "");
	}

	synchronized void shardGone(String name) {
		this.shards.remove(name);
	}

	/** When what happened; only to be used when all is quiet. */
	Times times() {
		return this.times;
	}

	synchronized boolean held(Set<String> expected) {
		return expected.stream().allMatch((shard) -> LeaseView.HELD.contains(this.shards.getOrDefault(shard, "")));
	}

	/** How many objects are not yet where the hash ring of these shards has them. */
	synchronized int misplaced(Set<String> expected, int count) {
		JudgeRing ring = new JudgeRing(expected);
		int existing = 0;
		int misplaced = 0;
		for (Map.Entry<String, Placed> object : this.objects.entrySet()) {
			if (object.getValue().exists()) {
				String owner = ring.owner(Names.key(object.getKey()));
				existing++;
				misplaced += (owner != null && object.getValue().settledAt(owner)) ? 0 : 1;
			}
		}
		return misplaced + Math.max(0, count - existing);
	}

	/** Whether that object carries the drain label. */
	synchronized boolean draining(String name) {
		return this.objects.getOrDefault(name, Placed.NOWHERE).draining();
	}

	/** Whose label that object carries, empty if nobody's. */
	synchronized String ownerOf(String name) {
		return this.objects.getOrDefault(name, Placed.NOWHERE).owner();
	}

	/** Some object of that shard that is at rest, and stays. */
	synchronized String anyOf(String shard) {
		return this.objects.entrySet()
			.stream()
			.filter((object) -> object.getValue().settledAt(shard) && !Names.comesAndGoes(object.getKey()))
			.map(Map.Entry::getKey)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(shard + " owns nothing"));
	}

	/** How many ConfigMaps are not made from their Secret as it is now. */
	synchronized int behind() {
		return (int) this.objects.values().stream().filter((placed) -> placed.exists() && !placed.current()).count();
	}

	synchronized BoardView view() {
		Map<String, Integer> owned = new TreeMap<>();
		int draining = 0;
		int unowned = 0;
		int current = 0;
		for (Placed placed : this.objects.values()) {
			if (placed.owner().isEmpty()) {
				unowned++;
			}
			else {
				owned.merge(placed.owner(), 1, Integer::sum);
			}
			draining += placed.draining() ? 1 : 0;
			current += placed.current() ? 1 : 0;
		}
		Set<String> names = new LinkedHashSet<>(this.shards.keySet());
		names.addAll(owned.keySet());
		Map<String, BoardView.Row> rows = new TreeMap<>();
		for (String name : names) {
			rows.put(name, new BoardView.Row(this.shards.getOrDefault(name, "no Lease"), owned.getOrDefault(name, 0)));
		}
		return new BoardView(rows, this.objects.size(), unowned, draining, current);
	}

}
