package dev.sharding.demo;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
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

	private final Map<String, Seat> seats = new TreeMap<>();

	/**
	 * Names of the slots that a process can have, none if its name is that of its shard.
	 */
	private final List<String> slots;

	private final Times times = new Times();

	Board() {
		this(List.of());
	}

	/**
	 * @param slots the names of the slots, none if shards have the names of their pods
	 */
	Board(List<String> slots) {
		this.slots = List.copyOf(slots);
	}

	synchronized void secret(String name, String resourceVersion, String owner, boolean draining, long nanos) {
		Placed before = this.objects.getOrDefault(name, Placed.NOWHERE);
		this.objects.put(name, before.withSecret(resourceVersion, owner, draining));
		if (!owner.isEmpty() && !owner.equals(before.owner()) && !this.everGone.contains(name)) {
			this.times.owned(name, nanos);
		}
		if (!before.owner().isEmpty() && !owner.equals(before.owner())) {
			this.times.moved();
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

	/** A Lease was seen. */
	synchronized void shard(String name, Seat seat) {
		this.seats.put(name, seat);
	}

	/**
	 * Which process has written the Lease of the shard of that pod last, empty if none
	 * has.
	 */
	synchronized String instanceOf(String pod) {
		Seat seat = this.seats.get(shardOf(pod));
		return (seat != null && seat.pod().equals(pod)) ? seat.instance() : "";
	}

	/**
	 * The shard that a pod is, or was last; of a pod that never was one, the slot that it
	 * gets if it comes next.
	 */
	synchronized String shardOf(String pod) {
		return this.seats.entrySet()
			.stream()
			.filter((seat) -> seat.getValue().pod().equals(pod))
			.max(Comparator.<Map.Entry<String, Seat>, Boolean>comparing((seat) -> seat.getValue().isHeld())
				.thenComparing((seat) -> seat.getValue().renewed()))
			.map(Map.Entry::getKey)
			.orElseGet(() -> this.slots.stream()
				.filter((slot) -> !this.seats.containsKey(slot) || !this.seats.get(slot).isHeld())
				.findFirst()
				.orElse(pod));
	}

	/** The hash ring of the shards that these pods are. */
	JudgeRing ring(Set<String> pods) {
		return new JudgeRing(pods.stream().map(this::shardOf).toList());
	}

	synchronized void shardGone(String name) {
		this.seats.remove(name);
	}

	/** When what happened; only to be used when all is quiet. */
	Times times() {
		return this.times;
	}

	synchronized boolean held(Set<String> expected) {
		return expected.stream().allMatch((pod) -> {
			Seat seat = this.seats.get(shardOf(pod));
			return seat != null && seat.pod().equals(pod) && seat.isHeld();
		});
	}

	/** How many objects are not yet where the hash ring of these pods has them. */
	synchronized int misplaced(Set<String> expected, int count) {
		JudgeRing ring = ring(expected);
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

	/** The pod of the shard whose label that object carries, empty if nobody's. */
	synchronized String ownerOf(String name) {
		String shard = this.objects.getOrDefault(name, Placed.NOWHERE).owner();
		Seat seat = this.seats.get(shard);
		return (seat != null) ? seat.pod() : shard;
	}

	/** Some object of that pod that is at rest, and stays. */
	synchronized String anyOf(String pod) {
		String shard = shardOf(pod);
		return this.objects.entrySet()
			.stream()
			.filter((object) -> object.getValue().settledAt(shard) && !Names.comesAndGoes(object.getKey()))
			.map(Map.Entry::getKey)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(pod + " owns nothing"));
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
		Set<String> names = new LinkedHashSet<>(this.seats.keySet());
		names.addAll(owned.keySet());
		Map<String, BoardView.Row> rows = new TreeMap<>();
		for (String name : names) {
			Seat seat = this.seats.get(name);
			rows.put(name, new BoardView.Row((seat != null) ? seat.state() : "no Lease", owned.getOrDefault(name, 0)));
		}
		return new BoardView(rows, this.objects.size(), unowned, draining, current);
	}

	/**
	 * What a Lease says.
	 *
	 * @param pod of the process that has written it last
	 * @param state what to show for it
	 * @param instance which process that was, empty if it does not say
	 * @param renewed when that was, by its clock
	 */
	record Seat(String pod, String state, String instance, Instant renewed) {

		boolean isHeld() {
			return LeaseView.HELD.contains(this.state);
		}

	}

}
