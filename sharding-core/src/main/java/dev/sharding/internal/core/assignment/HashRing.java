package dev.sharding.internal.core.assignment;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

import dev.sharding.internal.core.key.ShardingKey;
import org.jspecify.annotations.Nullable;

/**
 * A consistent hash ring over the names of shards, immutable (protocol section 2). The
 * names are sorted first, so two rings of the same shards agree on every key, whatever
 * the order of their input. Where two shards share a token (the names {@code web-1} and
 * {@code web-11} do, as {@code web-1} + {@code 10} = {@code web-11} + {@code 0}), the
 * name that sorts last owns it.
 */
public final class HashRing {

	private static final int TOKENS_PER_SHARD = 100;

	private final SortedSet<String> shards;

	private final SortedSet<String> cordoned;

	private final SortedSet<String> settling;

	private final SortedSet<String> takers;

	/* Ascending as unsigned numbers; the token at i belongs to owners[i]. */
	private final long[] tokens;

	private final String[] owners;

	/*
	 * Tokens are spread evenly, so the upper bits of a hash tell nearly where to look:
	 * starts[b] is the first token that is not below bucket b.
	 */
	private final int[] starts;

	private final int shift;

	private HashRing(SortedSet<String> shards, SortedSet<String> cordoned, SortedSet<String> settling) {
		this.shards = Collections.unmodifiableSortedSet(shards);
		this.cordoned = Collections.unmodifiableSortedSet(cordoned);
		this.settling = Collections.unmodifiableSortedSet(settling);
		SortedSet<String> taking = without(without(shards, cordoned), settling);
		this.takers = Collections.unmodifiableSortedSet(taking);
		long[] all = tokens(taking);
		this.tokens = distinct(all);
		this.owners = new String[this.tokens.length];
		int next = 0;
		for (String shard : taking) {
			for (int i = 0; i < TOKENS_PER_SHARD; i++) {
				this.owners[Arrays.binarySearch(this.tokens, all[next++])] = shard;
			}
		}
		for (int i = 0; i < this.tokens.length; i++) {
			this.tokens[i] ^= Long.MIN_VALUE;
		}
		int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(this.tokens.length));
		this.shift = Long.SIZE - bits;
		this.starts = starts(this.tokens, bits);
	}

	/**
	 * Returns the ring of the given shards.
	 * @param shards the names of the available shards, in any order
	 * @return the ring
	 */
	public static HashRing of(Collection<String> shards) {
		return of(shards, Collections.emptySet());
	}

	/**
	 * Returns the ring of the given shards, some of which are to get nothing. Should that
	 * be all of them, they get what there is all the same: what nobody owns would wait.
	 * @param shards the names of the available shards, in any order
	 * @param cordoned those that are cordoned; others do not matter
	 * @return the ring
	 */
	public static HashRing of(Collection<String> shards, Collection<String> cordoned) {
		return of(shards, cordoned, Collections.emptySet());
	}

	/**
	 * Returns the ring of the given shards, some of which are to get nothing, or nothing
	 * yet. Where nobody else is left, those that settle count as settled, and where all
	 * are cordoned, nobody counts as cordoned.
	 * @param shards the names of the available shards, in any order
	 * @param cordoned those that are cordoned; others do not matter
	 * @param settling those that came lately and wait for others to come, so that all of
	 * them make one change; others do not matter
	 * @return the ring
	 */
	public static HashRing of(Collection<String> shards, Collection<String> cordoned, Collection<String> settling) {
		SortedSet<String> all = new TreeSet<>(shards);
		SortedSet<String> out = new TreeSet<>(cordoned);
		out.retainAll(all);
		SortedSet<String> taking = without(all, out);
		if (taking.isEmpty()) {
			out.clear();
			taking = all;
		}
		SortedSet<String> later = new TreeSet<>(settling);
		later.retainAll(all);
		if (later.containsAll(taking)) {
			later.clear();
		}
		return new HashRing(all, out, later);
	}

	private static SortedSet<String> without(SortedSet<String> some, SortedSet<String> others) {
		SortedSet<String> rest = new TreeSet<>(some);
		rest.removeAll(others);
		return rest;
	}

	/**
	 * Returns the shard that should own the object with the given key.
	 * @param key the sharding key of the object
	 * @return the name of the shard, or {@code null} if the ring is empty
	 */
	public @Nullable String shardFor(ShardingKey key) {
		return isEmpty() ? null : ownerOf(KeyHash.of(key));
	}

	/**
	 * Returns where a key is on every ring, for those who want to follow a decision: it
	 * belongs to the shard with the first token that is not below.
	 * @param key the sharding key of an object
	 * @return the hash, an unsigned number
	 */
	public static long hash(ShardingKey key) {
		return KeyHash.of(key);
	}

	/**
	 * Returns the token that a key belongs to: the first one that is not below its hash,
	 * or the first of all.
	 * @param key the sharding key of an object
	 * @return the token, an unsigned number
	 * @throws IllegalStateException if the ring is empty
	 */
	public long token(ShardingKey key) {
		if (isEmpty()) {
			throw new IllegalStateException("There is no token on an empty ring");
		}
		return this.tokens[indexOf(KeyHash.of(key))];
	}

	/**
	 * Tells whether there is no shard on the ring.
	 * @return {@code true} if there is none
	 */
	public boolean isEmpty() {
		return this.owners.length == 0;
	}

	/**
	 * Returns the names of the shards that may own objects.
	 * @return all names, sorted, unmodifiable; also those of {@link #cordoned()} and
	 * {@link #settling()}
	 */
	public SortedSet<String> shards() {
		return this.shards;
	}

	/**
	 * Returns the names of the shards that no key belongs to, as somebody wants it so.
	 * @return some of the shards, sorted, unmodifiable
	 */
	public SortedSet<String> cordoned() {
		return this.cordoned;
	}

	/**
	 * Returns the names of the shards that no key belongs to yet. What they own stays
	 * with them.
	 * @return some of the shards, sorted, unmodifiable
	 */
	public SortedSet<String> settling() {
		return this.settling;
	}

	/**
	 * Returns the names of the shards that keys belong to.
	 * @return some of the shards, or all, sorted, unmodifiable
	 */
	public SortedSet<String> takers() {
		return this.takers;
	}

	/**
	 * Tells whether another ring agrees with this one on every key and shard.
	 * @param other another ring
	 * @return {@code true} if it has the same shards, and the same ones are cordoned or
	 * settle
	 */
	public boolean isSameAs(HashRing other) {
		return this.shards.equals(other.shards) && this.cordoned.equals(other.cordoned)
				&& this.settling.equals(other.settling);
	}

	@Override
	public String toString() {
		return "HashRing" + this.shards + (this.cordoned.isEmpty() ? "" : " without " + this.cordoned)
				+ (this.settling.isEmpty() ? "" : " before " + this.settling);
	}

	static long token(String shard, int index) {
		return KeyHash.of(shard + index);
	}

	String ownerOf(long hash) {
		return this.owners[indexOf(hash)];
	}

	/* The first token that is not below the hash, or the first of all. */
	private int indexOf(long hash) {
		int i = this.starts[(int) (hash >>> this.shift)];
		while (i < this.tokens.length && Long.compareUnsigned(this.tokens[i], hash) < 0) {
			i++;
		}
		return (i < this.tokens.length) ? i : 0;
	}

	/*
	 * Of each shard in turn; with the sign turned, so that they sort as unsigned numbers.
	 */
	private static long[] tokens(SortedSet<String> shards) {
		long[] tokens = new long[shards.size() * TOKENS_PER_SHARD];
		int next = 0;
		for (String shard : shards) {
			for (int i = 0; i < TOKENS_PER_SHARD; i++) {
				tokens[next++] = token(shard, i) ^ Long.MIN_VALUE;
			}
		}
		return tokens;
	}

	private static long[] distinct(long[] tokens) {
		long[] sorted = tokens.clone();
		Arrays.sort(sorted);
		int size = 0;
		for (long token : sorted) {
			if (size == 0 || sorted[size - 1] != token) {
				sorted[size++] = token;
			}
		}
		return Arrays.copyOf(sorted, size);
	}

	private static int[] starts(long[] tokens, int bits) {
		int[] starts = new int[1 << bits];
		int token = 0;
		for (int bucket = 0; bucket < starts.length; bucket++) {
			while (token < tokens.length && (int) (tokens[token] >>> (Long.SIZE - bits)) < bucket) {
				token++;
			}
			starts[bucket] = token;
		}
		return starts;
	}

}
