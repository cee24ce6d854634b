package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.shardlease.LeaseBook.Absence;
import dev.sharding.internal.sharder.shardlease.LeaseBook.ShardName;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.internal.sharder.watch.TermWatch;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the Leases of all shards, from {@link #start()} to {@link #close()}, tells
 * which shards each ring has, and holds the Leases of shards whose objects move. Leases
 * of rings that do not exist are left alone.
 */
public final class ShardLeases implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(ShardLeases.class);

	private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

	private static final int MOST_TOLD = 5;

	private final TermWatch<Lease> watch;

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	private final MembershipListener listener;

	private final EventLoop loop = new EventLoop("sharder-leases");

	/* All below lives on the loop. */

	private final LeaseBook book;

	private final LeaseFailures failures = new LeaseFailures(this::publish);

	private final HoldClaims claims;

	private final LeaseKeeper keeper;

	private final AbsentLeases absent;

	private final Map<String, Membership> memberships = new HashMap<>();

	private final Arrivals arrivals;

	/**
	 * Prepares the work on Leases.
	 * @param leases watches the Leases; it may have begun long ago, and goes on
	 * @param requests changes them
	 * @param serialization reads and writes JSON
	 * @param clock the wall clock
	 * @param nanoTime a monotonic clock, in nanoseconds
	 * @param trust which Leases make a shard a member
	 * @param unseen for how long a shard may act whose Lease was never seen, where no
	 * other of its ring lasts longer
	 * @param settle the time within which shards that come make one change of membership
	 * @param listener is told each change of membership, in order
	 * @param graceEnded is told each Lease that is taken as nobody has taken it within
	 * its grace
	 */
	public ShardLeases(Informer<Lease> leases, ApiRequests requests, KubernetesSerialization serialization,
			InstantSource clock, LongSupplier nanoTime, LeaseTrust trust, Duration unseen, Duration settle,
			MembershipListener listener, Consumer<Lease> graceEnded) {
		this.book = new LeaseBook(trust, unseen);
		this.clock = clock;
		this.nanoTime = nanoTime;
		this.listener = listener;
		LeaseRequests leaseRequests = new LeaseRequests(requests, serialization, REQUEST_TIMEOUT);
		this.claims = new HoldClaims(this.book, this.loop, this::look);
		this.keeper = new LeaseKeeper(this.book, leaseRequests, this.claims, this.failures, this.loop, this::now,
				this::publish, graceEnded);
		this.arrivals = new Arrivals(this.book, settle, this.loop, this::now, this.keeper::look, this::publish);
		this.absent = new AbsentLeases(this.book, leaseRequests, this.claims, this.failures, this.keeper, this.loop,
				this::now);
		this.watch = new TermWatch<>(leases, (event) -> this.loop.execute(() -> onEvent(event)),
				(status) -> this.loop.execute(() -> onStatus(status)), clock, nanoTime);
	}

	/** Starts: reads the Leases and follows them from then on. */
	public void start() {
		this.watch.begin().thenRun(() -> this.loop.execute(() -> {
			this.book.listed(now());
			this.book.rings().forEach(this::publish);
		}));
	}

	/**
	 * Looks after the Leases of a ring from now on and tells its membership.
	 * @param ring the name of the ring
	 */
	public void addRing(String ring) {
		this.loop.execute(() -> {
			this.book.rings().add(ring);
			this.book.keys(ring).forEach(this.keeper::look);
			publish(ring);
		});
	}

	/**
	 * Leaves the Leases of a ring alone from now on.
	 * @param ring the name of the ring
	 */
	public void removeRing(String ring) {
		this.loop.execute(() -> {
			this.book.rings().remove(ring);
			this.memberships.remove(ring);
			this.arrivals.forget(ring);
		});
	}

	/**
	 * Returns what holds the Leases of a ring's shards while objects leave them.
	 * @param ring the name of the ring
	 * @return the holds; they end with this object
	 */
	public ShardHolds holds(String ring) {
		return new RingHolds(this, ring);
	}

	CompletableFuture<@Nullable ShardHold> hold(String ring, String shard) {
		CompletableFuture<@Nullable ShardHold> future = new CompletableFuture<>();
		ShardName name = new ShardName(ring, shard);
		this.loop.execute(() -> {
			this.claims.add(name, future);
			look(name);
		});
		return future;
	}

	void force(String ring, String shard) {
		this.loop.execute(() -> this.book.of(new ShardName(ring, shard)).forEach(this.keeper::force));
	}

	/**
	 * Returns how the watch of the Leases fares since {@link #start()}.
	 * @return its status
	 */
	public InformerStatus status() {
		return this.watch.status();
	}

	/**
	 * Returns the Leases as seen last.
	 * @return all Leases with a ring label; they are shared, so do not change them
	 */
	public Collection<Lease> list() {
		return this.watch.list();
	}

	@Override
	public void close() {
		this.watch.close();
		this.loop.close();
	}

	private void look(ShardName shard) {
		this.book.of(shard).forEach(this.keeper::look);
		this.absent.look(shard);
	}

	private void onEvent(InformerEvent<Lease> event) {
		if (event instanceof InformerEvent.Added<Lease> added) {
			seen(added.object());
		}
		else if (event instanceof InformerEvent.Updated<Lease> updated) {
			if (!TrackedLease.ringOf(updated.before()).equals(TrackedLease.ringOf(updated.after()))) {
				gone(updated.before());
			}
			seen(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<Lease> removed) {
			gone(removed.last());
		}
	}

	private void seen(Lease lease) {
		ObjectKey key = ObjectKey.of(lease);
		if (!this.book.trust().admits(key.namespace())) {
			if (this.book.seeOutside(key, TrackedLease.ringOf(lease))) {
				publish(TrackedLease.ringOf(lease));
			}
			return;
		}
		TrackedLease tracked = this.book.get(key);
		if (tracked != null && tracked.isNewerThan(lease)) {
			// The answer to a write of ours was faster than the watch.
			return;
		}
		if (tracked != null && !tracked.ring().equals(TrackedLease.ringOf(lease))) {
			gone(tracked.lease());
		}
		this.book.see(key, lease, now());
		this.keeper.look(key);
	}

	private void gone(Lease last) {
		ObjectKey key = ObjectKey.of(last);
		String outside = this.book.vanishOutside(key);
		if (outside != null) {
			publish(outside);
		}
		Absence absence = this.book.vanish(key, now());
		if (absence == null) {
			return;
		}
		this.failures.forget(key);
		ShardName shard = absence.place().shard();
		Duration unknown = this.book.untilOver(absence, now());
		if (absence.available()) {
			log.warn("Lease of an available shard vanished lease={} ring={} countsAsAvailableFor={}", key, shard.ring(),
					unknown);
		}
		this.loop.schedule(() -> {
			publish(shard.ring());
			this.absent.look(shard);
		}, unknown);
		// Later than that: who was seen to end is not one that was never seen.
		Duration unseen = this.book.untilUnseenOver(shard.ring(), now());
		this.loop.schedule(() -> {
			this.book.forget(absence);
			publish(shard.ring());
		}, (unseen.compareTo(unknown) > 0) ? unseen : unknown);
		publish(shard.ring());
		this.absent.look(shard);
	}

	private void onStatus(InformerStatus status) {
		if (status.failingSince() != null) {
			this.keeper.unreachable();
		}
	}

	private void publish(String ring) {
		if (!this.book.isListed() || !this.book.rings().contains(ring)) {
			return;
		}
		Membership membership = count(ring);
		if (this.arrivals.settle(ring, membership)) {
			membership = count(ring);
			this.arrivals.settle(ring, membership);
		}
		Membership before = this.memberships.put(ring, membership);
		if (!membership.equals(before)) {
			tellInvalid(ring, membership.invalid(), (before != null) ? before.invalid().keySet() : Set.of());
			this.listener.membership(ring, membership);
			// Who waits for a holder waits no longer than while nobody else is there.
			SortedSet<String> waiting = membership.givenBack();
			this.loop.execute(() -> waiting.forEach((shard) -> look(new ShardName(ring, shard))));
		}
	}

	private Membership count(String ring) {
		return MembershipLaw.of(this.book.countSeats(ring, now()), this.failures.of(ring));
	}

	/* A few by name, as anybody who may write Leases can make many. */
	private static void tellInvalid(String ring, SortedMap<String, String> invalid, Set<String> told) {
		List<String> news = invalid.keySet().stream().filter((lease) -> !told.contains(lease)).toList();
		news.stream().limit(MOST_TOLD).forEach((lease) -> log.warn("{}: {} ring={}", lease, invalid.get(lease), ring));
		if (news.size() > MOST_TOLD) {
			log.warn("And {} more Leases are no shards ring={}", news.size() - MOST_TOLD, ring);
		}
	}

	private Moment now() {
		return new Moment(this.clock.instant(), this.nanoTime.getAsLong());
	}

}
