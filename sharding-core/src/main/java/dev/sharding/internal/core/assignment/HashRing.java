package dev.sharding.internal.core.assignment;

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

	private static final HashRing EMPTY = new HashRing(Collections.emptySortedSet(), Collections.emptySortedSet(),
			Collections.emptySortedSet(), Collections.emptySortedSet(), Tokens.NONE);

	private final SortedSet<String> shards;

	private final SortedSet<String> cordoned;

	private final SortedSet<String> settling;

	private final SortedSet<String> takers;

	private final Tokens tokens;

	private HashRing(SortedSet<String> shards, SortedSet<String> cordoned, SortedSet<String> settling,
			SortedSet<String> takers, Tokens tokens) {
		this.shards = Collections.unmodifiableSortedSet(shards);
		this.cordoned = Collections.unmodifiableSortedSet(cordoned);
		this.settling = Collections.unmodifiableSortedSet(settling);
		this.takers = Collections.unmodifiableSortedSet(takers);
		this.tokens = tokens;
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
		return EMPTY.become(shards, cordoned, settling);
	}

	/**
	 * Returns the ring of other shards. It is the same as one that is made anew. Where
	 * few shards came or went, it is made faster.
	 * @param shards the names of the available shards, in any order
	 * @param cordoned those that are to get nothing; others do not matter
	 * @param settling those that are to get nothing yet; others do not matter
	 * @return the ring; this one does not change
	 */
	public HashRing become(Collection<String> shards, Collection<String> cordoned, Collection<String> settling) {
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
		SortedSet<String> takers = without(taking, later);
		return new HashRing(all, out, later, takers,
				this.tokens.change(without(this.takers, takers), without(takers, this.takers)));
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
		return this.tokens.tokenOf(KeyHash.of(key));
	}

	/**
	 * Tells whether there is no shard on the ring.
	 * @return {@code true} if there is none
	 */
	public boolean isEmpty() {
		return this.tokens.isEmpty();
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
		return this.tokens.ownerOf(hash);
	}

}
