package dev.sharding.internal.core.assignment;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;

/**
 * The tokens of some shards in their order on a ring, immutable (protocol section 2).
 * Those of other shards are made out of them, as one that comes or goes changes few.
 */
final class Tokens {

	static final int PER_SHARD = 100;

	static final Tokens NONE = new Tokens(new long[0], new String[0]);

	/*
	 * Ascending as unsigned numbers, and where two shards share one, by their names; that
	 * at i belongs to owners[i].
	 */
	private final long[] values;

	private final String[] owners;

	/*
	 * Tokens are spread evenly, so the upper bits of a hash tell nearly where to look:
	 * starts[b] is the first token that is not below bucket b.
	 */
	private final int[] starts;

	private final int shift;

	private Tokens(long[] values, String[] owners) {
		this.values = values;
		this.owners = owners;
		int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(values.length));
		this.shift = Long.SIZE - bits;
		this.starts = starts(values, bits);
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
		Token[] more = sorted(come);
		int size = this.values.length - gone.size() * PER_SHARD + more.length;
		long[] merged = new long[size];
		String[] whose = new String[size];
		int to = 0;
		int next = 0;
		for (int i = 0; i < this.values.length; i++) {
			String owner = this.owners[i];
			if (!gone.isEmpty() && gone.contains(owner)) {
				continue;
			}
			while (next < more.length && more[next].isBefore(this.values[i], owner)) {
				merged[to] = more[next].value;
				whose[to++] = more[next++].shard;
			}
			merged[to] = this.values[i];
			whose[to++] = owner;
		}
		for (; next < more.length; next++) {
			merged[to] = more[next].value;
			whose[to++] = more[next].shard;
		}
		return new Tokens(merged, whose);
	}

	boolean isEmpty() {
		return this.values.length == 0;
	}

	/* Of the first token that is not below the hash, or the first of all. */
	String ownerOf(long hash) {
		return this.owners[indexOf(hash)];
	}

	long tokenOf(long hash) {
		return this.values[indexOf(hash)];
	}

	/* Of those who share a token, the one that sorts last. */
	private int indexOf(long hash) {
		int i = this.starts[(int) (hash >>> this.shift)];
		while (i < this.values.length && Long.compareUnsigned(this.values[i], hash) < 0) {
			i++;
		}
		int first = (i < this.values.length) ? i : 0;
		while (first + 1 < this.values.length && this.values[first + 1] == this.values[first]) {
			first++;
		}
		return first;
	}

	private static Token[] sorted(Collection<String> shards) {
		Token[] tokens = new Token[shards.size() * PER_SHARD];
		int next = 0;
		for (String shard : shards) {
			for (int i = 0; i < PER_SHARD; i++) {
				tokens[next++] = new Token(HashRing.token(shard, i), shard);
			}
		}
		Arrays.sort(tokens, Token.ORDER);
		return tokens;
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

	private record Token(long value, String shard) {

		private static final Comparator<Token> ORDER = (one, other) -> one.isBefore(other.value, other.shard) ? -1
				: other.isBefore(one.value, one.shard) ? 1 : 0;

		private boolean isBefore(long other, String owner) {
			int order = Long.compareUnsigned(this.value, other);
			return order < 0 || (order == 0 && this.shard.compareTo(owner) < 0);
		}

	}

}
