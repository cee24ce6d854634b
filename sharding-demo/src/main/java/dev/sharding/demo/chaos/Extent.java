package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.List;

import dev.sharding.demo.RingSite;

/**
 * How large a run is. All that is drawn from a seed depends on nothing else.
 *
 * @param minutes how many times faults come, each of which ends with all in its place
 * @param shards how many shards a ring has
 * @param objects how many Secrets there are in all rings
 * @param rings how many rings there are
 * @param windowMillis how long faults may last in each minute
 * @param slots whether shards have slots for names
 */
record Extent(int minutes, int shards, int objects, int rings, long windowMillis, boolean slots) {

	static final long WINDOW_MILLIS = 45_000;

	/** Between two Secrets that come and go, so that each ring has some. */
	private static final int RUN = 6;

	Extent {
		positive("--minutes", minutes, 600);
		positive("--shards", shards, 20);
		positive("--objects", objects, 20_000);
		positive("--rings", rings, 5);
		if (windowMillis < 1000 || windowMillis > 600_000) {
			throw new IllegalArgumentException("The window must be 1 s to 600 s (is " + windowMillis + " ms)");
		}
	}

	/** The same for another time. */
	Extent during(int other) {
		return new Extent(other, this.shards, this.objects, this.rings, this.windowMillis, this.slots);
	}

	private static void positive(String name, int value, int highest) {
		if (value < 1 || value > highest) {
			throw new IllegalArgumentException("'" + name + "' must be from 1 to " + highest + " (is " + value + ")");
		}
	}

	/** The rings, each with namespaces of its own. */
	List<RingSite> sites() {
		List<RingSite> sites = new ArrayList<>();
		for (int ring = 0; ring < this.rings; ring++) {
			sites.add(new RingSite(ringName(ring), List.of(namespace(ring, 0), namespace(ring, 1))));
		}
		return sites;
	}

	/** How many slots a ring has: some are free while all shards run. */
	int slotsOfRing() {
		return this.shards + 2;
	}

	/** How many consistent reads there have to be: one of each shard a minute. */
	int reads() {
		return this.minutes * this.rings * this.shards;
	}

	static String ringName(int ring) {
		return "ring-" + letter(ring);
	}

	static String shardName(int ring, int shard) {
		return letter(ring) + "-" + shard;
	}

	/** The ring of a Secret. */
	int ringOf(int secret) {
		return secret / RUN % this.rings;
	}

	/** The namespace of a Secret, by its name. */
	String namespaceOf(String secret) {
		int number = Integer.parseInt(secret.substring(secret.lastIndexOf('-') + 1));
		return namespace(ringOf(number), number / 2 % 2);
	}

	private static String namespace(int ring, int number) {
		return "chaos-" + letter(ring) + ((number == 0) ? "" : "-" + number);
	}

	private static String letter(int ring) {
		return String.valueOf((char) ('a' + ring));
	}

}
