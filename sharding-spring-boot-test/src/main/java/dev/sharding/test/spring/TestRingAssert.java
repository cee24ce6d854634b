package dev.sharding.test.spring;

import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions on a ring as it is now. The world takes its time: use them in
 * {@code Awaitility.await().untilAsserted(…)}.
 */
public final class TestRingAssert extends AbstractAssert<TestRingAssert, TestRing> {

	TestRingAssert(TestRing actual) {
		super(actual, TestRingAssert.class);
	}

	/**
	 * A shard that runs owns each main object, and none is asked to let go.
	 * @return this
	 */
	public TestRingAssert isSettled() {
		List<String> running = this.actual.runningShards();
		for (HasMetadata object : this.actual.mainObjects()) {
			String owner = this.actual.ownerOf(object).orElse("nobody");
			if (!running.contains(owner) || this.actual.isDraining(object)) {
				throw failure("Expected %s to be settled, but %s is owned by %s%s (running: %s)", this.actual,
						object.getMetadata().getName(), owner,
						this.actual.isDraining(object) ? ", who must let go" : "", running);
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

}
