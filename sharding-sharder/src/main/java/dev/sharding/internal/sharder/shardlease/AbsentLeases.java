package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.shardlease.LeaseFailures.Operation;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes Leases for shards that have none although objects have to leave them, held by the
 * sharder from the start: a process of that name that comes back meanwhile has to wait.
 * Lives on the thread of {@link ShardLeases}.
 */
final class AbsentLeases {

	private static final Logger log = LoggerFactory.getLogger(AbsentLeases.class);

	private static final Duration WATCH_IS_LATE = Duration.ofMillis(200);

	static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

	private static final Duration NO_NEIGHBOUR = Duration.ofSeconds(1);

	private final LeaseBook book;

	private final LeaseRequests requests;

	private final HoldClaims claims;

	private final LeaseFailures failures;

	private final LeaseKeeper keeper;

	private final EventLoop loop;

	private final Supplier<Moment> clock;

	/* A request or a timer is under way, which leads to the next look. */
	private final Set<ShardName> busy = new HashSet<>();

	AbsentLeases(LeaseBook book, LeaseRequests requests, HoldClaims claims, LeaseFailures failures, LeaseKeeper keeper,
			EventLoop loop, Supplier<Moment> clock) {
		this.book = book;
		this.requests = requests;
		this.claims = claims;
		this.failures = failures;
		this.keeper = keeper;
		this.loop = loop;
		this.clock = clock;
	}

	/** Does what is due for a shard, if it is wanted and has no Lease. */
	void look(ShardName shard) {
		if (this.busy.contains(shard)) {
			return;
		}
		if (!this.book.of(shard).isEmpty()) {
			this.failures.forgetCreate(shard);
			return;
		}
		Moment now = this.clock.get();
		this.claims.settle(shard, now);
		if (!this.claims.isWaitedFor(shard)) {
			this.failures.forgetCreate(shard);
			return;
		}
		Duration left = this.book.untilClaimOver(shard, now);
		if (!left.isZero()) {
			// Not the whole time: what is known of it changes.
			again(shard, (left.compareTo(LONGEST_WAIT) < 0) ? left : LONGEST_WAIT);
			return;
		}
		String namespace = this.book.namespaceOf(shard);
		if (namespace == null) {
			again(shard, NO_NEIGHBOUR);
		}
		else {
			make(shard, new ObjectKey(namespace, shard.name()), now);
		}
	}

	private void make(ShardName shard, ObjectKey key, Moment now) {
		LeaseRecord empty = new LeaseRecord(key.name(), null, null, null, null, null, null);
		Lease lease = LeaseRecords.write(new LeaseBuilder().withNewMetadata()
			.withNamespace(key.namespace())
			.withName(key.name())
			.addToLabels(ShardingLabels.LEASE_RING, shard.ring())
			// A process that takes slots may take it when the objects have moved.
			.addToAnnotations(ShardingLabels.MADE_BY_SHARDER, "true")
			.endMetadata()
			.build(), LeaseWrites.hold(empty, LeaseKeeper.HOLD, now.wall()));
		log.info("Making a Lease for a shard that has none, whose objects move lease={} ring={}", key, shard.ring());
		this.busy.add(shard);
		this.book.making().add(shard);
		this.requests.create(lease).whenComplete((created, failure) -> this.loop.execute(() -> {
			this.busy.remove(shard);
			this.book.making().remove(shard);
			if (failure == null) {
				this.failures.succeeded(key, Operation.CREATE);
				made(key, created, now);
			}
			else if (ApiException.of(failure).isConflict()) {
				inspect(shard, key, lease);
			}
			else {
				again(shard, this.failures.failed(key, shard.ring(), Operation.CREATE, ApiException.of(failure)));
			}
			if (failure != null) {
				// It may be there all the same: nobody has looked at it meanwhile.
				this.book.of(shard).forEach(this.keeper::look);
			}
		}));
	}

	private void made(ObjectKey key, Lease created, Moment sent) {
		TrackedLease known = this.book.get(key);
		TrackedLease tracked = (known != null) ? known : this.book.see(key, created, this.clock.get());
		if (tracked.record().equals(LeaseRecords.of(created))) {
			this.keeper.made(tracked, sent);
		}
		this.keeper.look(key);
	}

	/*
	 * There is one of that name all the same: the watch is late, or it is none of ours.
	 */
	private void inspect(ShardName shard, ObjectKey key, Lease wanted) {
		this.busy.add(shard);
		this.requests.get(wanted, LeaseKeeper.HOLD).whenComplete((found, failure) -> this.loop.execute(() -> {
			this.busy.remove(shard);
			if (failure != null || TrackedLease.ringOf(found).equals(shard.ring())) {
				again(shard, WATCH_IS_LATE);
				return;
			}
			if (TrackedLease.ringOf(found).isEmpty() && isOfShard(LeaseRecords.of(found))) {
				relabel(shard, key, found);
				return;
			}
			// Nobody acts on it as this shard: the claims of one that did are over.
			log.info("Lease belongs to no shard of the ring lease={} ring={}", key, shard.ring());
			this.claims.settleWithoutLease(shard);
		}));
	}

	/* Its shard may come back with it at any moment: the watch shall know of it. */
	private void relabel(ShardName shard, ObjectKey key, Lease lease) {
		log.warn("Lease of a shard has lost the label of its ring, putting it back lease={} ring={}", key,
				shard.ring());
		this.busy.add(shard);
		this.requests.labelRing(lease, shard.ring()).whenComplete((labelled, failure) -> this.loop.execute(() -> {
			this.busy.remove(shard);
			if (failure == null) {
				this.failures.succeeded(key, Operation.CREATE);
				again(shard, LONGEST_WAIT);
			}
			else {
				again(shard, this.failures.failed(key, shard.ring(), Operation.CREATE, ApiException.of(failure)));
			}
		}));
	}

	private static boolean isOfShard(LeaseRecord lease) {
		return lease.isHeldByItself() || lease.isHeldBySharder() || lease.instanceId() != null;
	}

	private void again(ShardName shard, Duration delay) {
		this.busy.add(shard);
		this.loop.schedule(() -> {
			this.busy.remove(shard);
			look(shard);
		}, delay);
	}

}
