package dev.sharding.benchmarks.ring;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.dynatrace.hash4j.hashing.Hashing;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * From the strings of a key to the name of a shard, with 100 shards on the ring.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RingLookup {

	private static final int KEYS = 4_096;

	private final List<String> shards = IntStream.range(0, 100)
		.mapToObj("checksum-controller-c95c4fdb6-%05x"::formatted)
		.toList();

	private final ShardingKey[] keys = IntStream.range(0, KEYS)
		.mapToObj((i) -> new ShardingKey("webhosting.timebertt.dev", "Website", "project-" + i % 97, "homepage-" + i))
		.toArray(ShardingKey[]::new);

	private final HashRing ring = HashRing.of(this.shards);

	private final TreeMap<Long, String> tree = new TreeMap<>(Long::compareUnsigned);

	private int next;

	public RingLookup() {
		for (String shard : this.shards) {
			for (int i = 0; i < 100; i++) {
				this.tree.put(hash(shard + i), shard);
			}
		}
	}

	/** The ring of the core. */
	@Benchmark
	public @Nullable String ring() {
		return this.ring.shardFor(nextKey());
	}

	/** The text of the key, its bytes, their hash, a tree. */
	@Benchmark
	public String tree() {
		ShardingKey key = nextKey();
		long hash = hash(key.group() + '/' + key.kind() + '/' + key.namespace() + '/' + key.name());
		Map.Entry<Long, String> token = this.tree.ceilingEntry(hash);
		return (token != null) ? token.getValue() : this.tree.firstEntry().getValue();
	}

	private ShardingKey nextKey() {
		this.next = (this.next + 1) & (KEYS - 1);
		return this.keys[this.next];
	}

	private static long hash(String text) {
		return Hashing.xxh64().hashBytesToLong(text.getBytes(StandardCharsets.UTF_8));
	}

}
