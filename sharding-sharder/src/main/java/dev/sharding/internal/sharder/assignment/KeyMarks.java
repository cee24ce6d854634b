package dev.sharding.internal.sharder.assignment;

import java.util.BitSet;
import java.util.concurrent.ThreadLocalRandom;

import dev.sharding.internal.core.key.ShardingKey;

/**
 * Marks of main objects, in no more than a MiB however many there are. Some share one:
 * where a million are marked, one of nine others seems to be. Which ones do is by chance,
 * and other marks have others. Threadsafe.
 */
final class KeyMarks {

	private static final int LOG_OF_SIZE = 23;

	private final BitSet marks = new BitSet();

	private final int salt = ThreadLocalRandom.current().nextInt();

	/** Marks a main object. */
	synchronized void add(ShardingKey main) {
		this.marks.set(place(main));
	}

	/** Tells whether a main object is marked, or shares a mark with one that is. */
	synchronized boolean mayContain(ShardingKey main) {
		return this.marks.get(place(main));
	}

	/* The high bits of a product depend on all bits of its factor. */
	private int place(ShardingKey main) {
		int hash = (main.hashCode() ^ this.salt) * 0x9E3779B9;
		return ((hash ^ (hash >>> 15)) * 0x85EBCA6B) >>> (Integer.SIZE - LOG_OF_SIZE);
	}

}
