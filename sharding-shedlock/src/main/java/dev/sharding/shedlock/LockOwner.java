package dev.sharding.shedlock;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.internal.core.lease.LeaseRecord;

/**
 * Who locks: one of this kind in a process, different from all others.
 */
final class LockOwner {

	private final String id = UUID.randomUUID().toString();

	private final String identity;

	private final AtomicLong locks = new AtomicLong();

	LockOwner(String host) {
		this.identity = host + "_" + this.id;
	}

	/** What people see as the holder. */
	String identity() {
		return this.identity;
	}

	/** The id for another time that something is locked. */
	String next() {
		return this.id + "-" + this.locks.incrementAndGet();
	}

	/** Whether it was locked here. */
	boolean owns(LeaseRecord lease) {
		return lease.instanceId() != null && lease.instanceId().startsWith(this.id + "-");
	}

}
