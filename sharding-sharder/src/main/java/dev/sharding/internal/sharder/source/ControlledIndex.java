package dev.sharding.internal.sharder.source;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.source.RecordBytes.Identity;

/**
 * The controlled objects that one shard has of one resource, by their main object: names
 * and versions, nothing else. An object takes 36 bytes and its name at most, and what the
 * name of its main object does not share with it; so 100 bytes are enough where names
 * have no more than 60 characters and begin alike. An object is in the namespace of its
 * main object.
 * <p>
 * There is no Java object for each: a table of ints leads to the first record of a main
 * object, which leads to the next. Not threadsafe.
 */
public final class ControlledIndex {

	private static final int NONE = 0;

	private static final int SMALLEST_TABLE = 64;

	/* Less than this is not worth to be tidied up. */
	private static final int MANY_HOLES = 16 * 1024;

	private RecordBytes records = new RecordBytes();

	private int[] table = new int[SMALLEST_TABLE];

	private int size;

	/**
	 * Adds an object, or tells its newer version.
	 * @param main what controls it
	 * @param name its name
	 * @param version its version
	 */
	public void put(ShardingKey main, String name, String version) {
		Identity identity = this.records.identity(main, name);
		int known = find(identity);
		if (known != NONE) {
			if (this.records.replaceVersion(known, version)) {
				return;
			}
			remove(identity);
		}
		add(identity, version);
		tidy();
	}

	/**
	 * Adds an object that is certainly not there yet.
	 * @param main what controls it
	 * @param name its name
	 * @param version its version
	 */
	public void add(ShardingKey main, String name, String version) {
		add(this.records.identity(main, name), version);
	}

	private void add(Identity identity, String version) {
		if (this.size >= this.table.length / 4 * 3) {
			grow();
		}
		int slot = slot(identity.hash(), this.table);
		this.table[slot] = this.records.append(identity, version, this.table[slot]);
		this.size++;
	}

	/**
	 * Removes an object.
	 * @param main what controls it
	 * @param name its name
	 */
	public void remove(ShardingKey main, String name) {
		remove(this.records.identity(main, name));
		tidy();
	}

	private void remove(Identity identity) {
		int slot = slot(identity.hash(), this.table);
		int before = NONE;
		for (int record = this.table[slot]; record != NONE; record = this.records.next(record)) {
			if (this.records.is(record, identity)) {
				int next = this.records.next(record);
				if (before == NONE) {
					this.table[slot] = next;
				}
				else {
					this.records.next(before, next);
				}
				this.records.drop(record);
				this.size--;
				return;
			}
			before = record;
		}
	}

	/**
	 * Finds what a main object controls.
	 * @param main the main object
	 * @return the objects, in no order
	 */
	public List<Controlled> of(ShardingKey main) {
		Identity identity = this.records.identity(main, "");
		List<Controlled> found = new ArrayList<>();
		for (int record = this.table[slot(identity.hash(), this.table)]; record != NONE; record = this.records
			.next(record)) {
			if (this.records.isOf(record, identity)) {
				found.add(this.records.read(record));
			}
		}
		return found;
	}

	/**
	 * The number of objects.
	 * @return how many there are
	 */
	public int size() {
		return this.size;
	}

	/**
	 * The memory that is taken, to some hundred bytes.
	 * @return bytes of the heap
	 */
	public long bytes() {
		return this.records.bytes() + 4L * this.table.length;
	}

	private int find(Identity identity) {
		for (int record = this.table[slot(identity.hash(), this.table)]; record != NONE; record = this.records
			.next(record)) {
			if (this.records.is(record, identity)) {
				return record;
			}
		}
		return NONE;
	}

	private void grow() {
		int[] larger = new int[this.table.length * 2];
		each((record) -> {
			int slot = slot(this.records.hash(record), larger);
			this.records.next(record, larger[slot]);
			larger[slot] = record;
		});
		this.table = larger;
	}

	/* A record may be led elsewhere by what it is given to. */
	private void each(IntConsumer consumer) {
		for (int first : this.table) {
			int record = first;
			while (record != NONE) {
				int next = this.records.next(record);
				consumer.accept(record);
				record = next;
			}
		}
	}

	private void tidy() {
		if (this.records.holes() < MANY_HOLES || this.records.holes() < this.records.bytes() / 2) {
			return;
		}
		int[] kept = new int[this.size];
		int[] count = new int[1];
		each((record) -> kept[count[0]++] = record);
		int length = SMALLEST_TABLE;
		while (this.size >= length / 4 * 3) {
			length *= 2;
		}
		int[] smaller = new int[length];
		this.records = this.records.copy(kept, (record, next) -> {
			int slot = slot(next.hash(record), smaller);
			next.next(record, smaller[slot]);
			smaller[slot] = record;
		});
		this.table = smaller;
	}

	private static int slot(int hash, int[] table) {
		return hash & (table.length - 1);
	}

	/**
	 * What is known of a controlled object.
	 *
	 * @param name its name
	 * @param version its version
	 */
	public record Controlled(String name, String version) {
	}

}
