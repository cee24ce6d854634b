package dev.sharding.test.spring;

import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.assertj.core.api.AbstractAssert;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.key.ShardingKeys;

/**
 * Assertions on a ring as it is now. The world takes its time: use them in
 * {@code Awaitility.await().untilAsserted(…)}.
 */
public final class TestRingAssert extends AbstractAssert<TestRingAssert, TestRing> {

	TestRingAssert(TestRing actual) {
		super(actual, TestRingAssert.class);
	}

	/**
	 * A shard that runs owns each main object, and none is asked to let go. Where the
	 * ring has a sharder, each is also owned by the very shard that the hash ring of all
	 * that run names: a shard that has come lately has its share.
	 * @return this
	 */
	public TestRingAssert isSettled() {
		List<String> running = this.actual.runningShards();
		Optional<HashRing> wanted = this.actual.hashRing(running);
		for (HasMetadata object : this.actual.mainObjects()) {
			String owner = this.actual.ownerOf(object).orElse("nobody");
			if (!running.contains(owner) || this.actual.isDraining(object)) {
				throw failure("Expected %s to be settled, but %s is owned by %s%s (running: %s)", this.actual,
						object.getMetadata().getName(), owner,
						this.actual.isDraining(object) ? ", who must let go" : "", running);
			}
			String next = wanted.map((ring) -> ring.shardFor(key(object))).orElse(owner);
			if (!next.equals(owner)) {
				throw failure("Expected %s to be settled, but %s is owned by %s and belongs to %s (running: %s)",
						this.actual, object.getMetadata().getName(), owner, next, running);
			}
		}
		return this;
	}

	/**
	 * A shard owns an object.
	 * @param object namespace and name of the object
	 * @param shard the name of the shard
	 * @return this
	 */
	public TestRingAssert hasOwner(HasMetadata object, String shard) {
		String owner = this.actual.ownerOf(object).orElse("nobody");
		if (!owner.equals(shard)) {
			throw failureWithActualExpected(owner, shard, "Expected %s to be owned by %s but it is by %s",
					object.getMetadata().getName(), shard, owner);
		}
		return this;
	}

	private static ShardingKey key(HasMetadata object) {
		return ShardingKeys.ofMain(new ObjectIdentity(object.getApiVersion(), object.getKind(),
				object.getMetadata().getNamespace(), object.getMetadata().getName(), null, List.of()));
	}

}
