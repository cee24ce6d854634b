package dev.sharding.judge;

import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

/**
 * The judge's own hash ring (docs/protocol, sections 2.1 to 2.4): 100 tokens for each
 * shard, the first token not below the hash of the key owns it.
 */
public final class JudgeRing {

	private static final int TOKENS = 100;

	private final NavigableMap<Long, String> owners = new TreeMap<>(Long::compareUnsigned);

	/**
	 * Makes the ring of these shards, whatever their order.
	 */
	public JudgeRing(Collection<String> shards) {
		for (String shard : new TreeSet<>(shards)) {
			for (int token = 0; token < TOKENS; token++) {
				this.owners.put(Xxh64.hash(shard + token), shard);
			}
		}
	}

	/**
	 * The shard that owns the key, null when there is no shard.
	 * @param key {@code group/Kind/namespace/name}, the group empty for the core group
	 */
	public @Nullable String owner(String key) {
		if (this.owners.isEmpty()) {
			return null;
		}
		Map.Entry<Long, String> successor = this.owners.ceilingEntry(Xxh64.hash(key));
		return ((successor != null) ? successor : this.owners.firstEntry()).getValue();
	}

}
