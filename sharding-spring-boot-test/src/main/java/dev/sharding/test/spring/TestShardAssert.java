package dev.sharding.test.spring;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.assertj.core.api.AbstractAssert;

import dev.sharding.shard.RuntimePhase;

/**
 * Assertions on a shard as it is now. The world takes its time: use them in
 * {@code Awaitility.await().untilAsserted(…)}.
 */
public final class TestShardAssert extends AbstractAssert<TestShardAssert, TestShard> {

	TestShardAssert(TestShard actual) {
		super(actual, TestShardAssert.class);
	}

	/**
	 * The shard holds its Lease and reconciles.
	 * @return this
	 */
	public TestShardAssert isRunning() {
		return isIn(RuntimePhase.RUNNING);
	}

	/**
	 * The shard is in a phase.
	 * @param phase the phase
	 * @return this
	 */
	public TestShardAssert isIn(RuntimePhase phase) {
		if (this.actual.phase() != phase) {
			throw failureWithActualExpected(this.actual.phase(), phase, "Expected %s to be %s but it is %s",
					this.actual, phase, this.actual.phase());
		}
		return this;
	}

	/**
	 * The API server says that the shard owns an object.
	 * @param object namespace and name of the object
	 * @return this
	 */
	public TestShardAssert owns(HasMetadata object) {
		String owner = owner(object);
		if (!owner.equals(this.actual.name())) {
			throw failureWithActualExpected(owner, this.actual.name(), "Expected %s to own %s but %s does", this.actual,
					object.getMetadata().getName(), owner);
		}
		return this;
	}

	/**
	 * The API server says that the shard does not own an object.
	 * @param object namespace and name of the object
	 * @return this
	 */
	public TestShardAssert doesNotOwn(HasMetadata object) {
		if (owner(object).equals(this.actual.name())) {
			throw failure("Expected %s not to own %s but it does", this.actual, object.getMetadata().getName());
		}
		return this;
	}

	/**
	 * The API server says that the shard owns at least one main object.
	 * @return this
	 */
	public TestShardAssert hasShare() {
		if (!this.actual.ring().owners().contains(this.actual.name())) {
			throw failure("Expected %s to own at least one object but it owns none", this.actual);
		}
		return this;
	}

	/**
	 * The Lease of the shard is held by the shard.
	 * @return this
	 */
	public TestShardAssert holdsItsLease() {
		String holder = this.actual.leaseHolder();
		if (!holder.equals(this.actual.name())) {
			throw failureWithActualExpected(holder, this.actual.name(), "Expected %s to hold its Lease but '%s' does",
					this.actual, holder);
		}
		return this;
	}

	private String owner(HasMetadata object) {
		return this.actual.ring().ownerOf(object).orElse("nobody");
	}

}
