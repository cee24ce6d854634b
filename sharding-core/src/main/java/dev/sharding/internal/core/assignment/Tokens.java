package dev.sharding.internal.core.assignment;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The tokens of some shards in their order on a ring, immutable (protocol section 2).
 * Those of other shards are made out of them, as one that comes or goes changes few.
 */
final class Tokens {

	private static final int PER_SHARD = 100;

	static final Tokens NONE = new Tokens(new Run(new long[0], new String[0]));

	private final Run run;

	/*
	 * Tokens are spread evenly, so the upper bits of a hash tell nearly where to look:
	 * starts[b] is the first token that is not below bucket b.
	 */
	private final int[] starts;

	private final int shift;

	private Tokens(Run run) {
		this.run = run;
		int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(run.values.length));
		this.shift = Long.SIZE - bits;
		this.starts = starts(run.values, bits);
	}

	/**
	 * Returns the tokens after a change.
	 * @param gone shards whose tokens are among these
	 * @param come shards whose tokens are not
	 */
	Tokens change(Collection<String> gone, Collection<String> come) {
		if (gone.isEmpty() && come.isEmpty()) {
			return this;
		}
		Run kept = gone.isEmpty() ? this.run : this.run.without(gone);
		return new Tokens(come.isEmpty() ? kept : kept.with(Run.of(List.copyOf(come))));
	}

	boolean isEmpty() {
		return this.run.values.length == 0;
	}

	/* Of the first token that is not below the hash, or the first of all. */
	String ownerOf(long hash) {
		return this.run.owners[indexOf(hash)];
	}

	long tokenOf(long hash) {
		return this.run.values[indexOf(hash)];
	}

	/* Of those who share a token, the one that sorts last. */
	private int indexOf(long hash) {
		long[] values = this.run.values;
		int i = this.starts[(int) (hash >>> this.shift)];
		while (i < values.length && Long.compareUnsigned(values[i], hash) < 0) {
			i++;
		}
		int first = (i < values.length) ? i : 0;
		while (first + 1 < values.length && values[first + 1] == values[first]) {
			first++;
		}
		return first;
	}

	private static int[] starts(long[] values, int bits) {
		int[] starts = new int[1 << bits];
		int token = 0;
		for (int bucket = 0; bucket < starts.length; bucket++) {
			while (token < values.length && (int) (values[token] >>> (Long.SIZE - bits)) < bucket) {
				token++;
			}
			starts[bucket] = token;
		}
		return starts;
	}

	/**
	 * Tokens and whose they are: ascending as unsigned numbers, and where two shards
	 * share one, by their names.
	 */
	private record Run(long[] values, String[] owners) {

		private static Run of(List<String> shards) {
			if (shards.size() == 1) {
				return ofOne(shards.get(0));
			}
			int half = shards.size() / 2;
			return of(shards.subList(0, half)).with(of(shards.subList(half, shards.size())));
		}

		private static Run ofOne(String shard) {
			// With the sign turned they sort as unsigned numbers.
			long[] values = IntStream.range(0, PER_SHARD)
				.mapToLong((i) -> HashRing.token(shard, i) ^ Long.MIN_VALUE)
				.sorted()
				.map((token) -> token ^ Long.MIN_VALUE)
				.toArray();
			String[] owners = new String[PER_SHARD];
			Arrays.fill(owners, shard);
			return new Run(values, owners);
		}

		private Run without(Collection<String> gone) {
			int size = this.values.length - gone.size() * PER_SHARD;
			Run rest = new Run(new long[size], new String[size]);
			int to = 0;
			for (int i = 0; i < this.values.length; i++) {
				if (!gone.contains(this.owners[i])) {
					rest.put(to++, this, i);
				}
			}
			return rest;
		}

		private Run with(Run more) {
			int size = this.values.length + more.values.length;
			Run merged = new Run(new long[size], new String[size]);
			int mine = 0;
			int next = 0;
			for (int to = 0; to < size; to++) {
				if (next == more.values.length || (mine < this.values.length && isBefore(mine, more, next))) {
					merged.put(to, this, mine++);
				}
				else {
					merged.put(to, more, next++);
				}
			}
			return merged;
		}

		private void put(int to, Run from, int index) {
			this.values[to] = from.values[index];
			this.owners[to] = from.owners[index];
		}

		private boolean isBefore(int index, Run other, int next) {
			int order = Long.compareUnsigned(this.values[index], other.values[next]);
			return order < 0 || (order == 0 && this.owners[index].compareTo(other.owners[next]) < 0);
		}

	}

}
