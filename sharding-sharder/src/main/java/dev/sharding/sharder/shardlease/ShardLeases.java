package dev.sharding.sharder.shardlease;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.lease.LeaseTimes;
import dev.sharding.core.lease.Moment;
import dev.sharding.core.lease.ShardLeaseDecision;
import dev.sharding.core.lease.ShardState;
import dev.sharding.core.lease.VanishedLease;
import dev.sharding.core.version.ResourceVersions;
import dev.sharding.kubernetes.informer.Informer;
import dev.sharding.kubernetes.informer.InformerEvent;
import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.kubernetes.informer.InformerStatus;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.sharder.loop.EventLoop;
import dev.sharding.sharder.shardlease.MembershipLaw.Seat;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after the Leases of all shards, from {@link #start()} to {@link #close()}, and
 * tells which shards each ring has. Leases of rings that do not exist are left alone.
 */
public final class ShardLeases implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(ShardLeases.class);

	private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

	private final Informer<Lease> informer;

	private final LeaseRequests requests;

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	private final MembershipListener listener;

	private final EventLoop loop = new EventLoop("sharder-leases");

	/* All below lives on the loop. */

	private final Map<ObjectKey, TrackedLease> leases = new HashMap<>();

	private final Map<ObjectKey, Vanished> vanished = new HashMap<>();

	private final Set<String> rings = new HashSet<>();

	private final Map<String, Membership> memberships = new HashMap<>();

	private Moment reachableSince;

	private boolean listed;

	/**
	 * Prepares the work on Leases.
	 * @param client watches the Leases
	 * @param requests changes them
	 * @param clock the wall clock
	 * @param nanoTime a monotonic clock, in nanoseconds
	 * @param listener is told each change of membership, in order
	 */
	public ShardLeases(KubernetesClient client, ApiRequests requests, InstantSource clock, LongSupplier nanoTime,
			MembershipListener listener) {
		this.clock = clock;
		this.nanoTime = nanoTime;
		this.listener = listener;
		this.reachableSince = new Moment(clock.instant(), nanoTime.getAsLong());
		this.requests = new LeaseRequests(requests, client.getKubernetesSerialization(), REQUEST_TIMEOUT);
		this.informer = new Informer<>(client,
				InformerSpec.of(ResourceType.of(Lease.class)).withLabelSelector(ShardingLabels.LEASE_RING));
		this.informer.addHandler((event) -> this.loop.execute(() -> onEvent(event)));
		this.informer.addStatusListener((status) -> this.loop.execute(() -> onStatus(status)));
	}

	/** Starts to watch. */
	public void start() {
		this.informer.start();
		this.informer.synced().thenRun(() -> this.loop.execute(() -> {
			this.listed = true;
			this.rings.forEach(this::publish);
		}));
	}

	/**
	 * Looks after the Leases of a ring from now on and tells its membership.
	 * @param ring the name of the ring
	 */
	public void addRing(String ring) {
		this.loop.execute(() -> {
			this.rings.add(ring);
			List.copyOf(this.leases.keySet()).forEach(this::look);
			publish(ring);
		});
	}

	/**
	 * Leaves the Leases of a ring alone from now on.
	 * @param ring the name of the ring
	 */
	public void removeRing(String ring) {
		this.loop.execute(() -> {
			this.rings.remove(ring);
			this.memberships.remove(ring);
		});
	}

	/**
	 * Returns how the watch of the Leases fares.
	 * @return its status
	 */
	public InformerStatus status() {
		return this.informer.status();
	}

	/**
	 * Returns the Leases as seen last.
	 * @return all Leases with a ring label; they are shared, so do not change them
	 */
	public Collection<Lease> list() {
		return this.informer.store().list();
	}

	@Override
	public void close() {
		this.informer.close();
		this.loop.close();
	}

	private void onEvent(InformerEvent<Lease> event) {
		if (event instanceof InformerEvent.Added<Lease> added) {
			seen(added.object());
		}
		else if (event instanceof InformerEvent.Updated<Lease> updated) {
			if (!TrackedLease.ringOf(updated.before()).equals(TrackedLease.ringOf(updated.after()))) {
				String left = TrackedLease.ringOf(updated.before());
				this.loop.execute(() -> publish(left));
			}
			seen(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<Lease> removed) {
			gone(removed.last());
		}
	}

	private void seen(Lease lease) {
		ObjectKey key = ObjectKey.of(lease);
		this.vanished.remove(key);
		TrackedLease tracked = this.leases.get(key);
		if (tracked == null) {
			this.leases.put(key, new TrackedLease(lease, now()));
		}
		else if (isOlder(lease, tracked.lease())) {
			// The answer to a write of ours was faster than the watch.
			return;
		}
		else {
			tracked.see(lease, now());
		}
		look(key);
	}

	private static boolean isOlder(Lease lease, Lease known) {
		return lease.getMetadata().getUid().equals(known.getMetadata().getUid())
				&& ResourceVersions.compare(lease.getMetadata().getResourceVersion(),
						known.getMetadata().getResourceVersion()) == ResourceVersions.Order.BEFORE;
	}

	private void gone(Lease last) {
		ObjectKey key = ObjectKey.of(last);
		TrackedLease tracked = this.leases.remove(key);
		if (tracked == null) {
			return;
		}
		tracked.lookAgain(null);
		Vanished absent = new Vanished(new VanishedLease(tracked.record(), now()), tracked.ring());
		Duration left = absent.lease.untilUnavailable(now());
		if (!left.isNegative() && !left.isZero()) {
			log.warn("Lease of a ready shard vanished lease={} ring={} countsAsAvailableFor={}", key, tracked.ring(),
					left);
			this.vanished.put(key, absent);
			this.loop.schedule(() -> {
				this.vanished.remove(key, absent);
				publish(absent.ring);
			}, left);
		}
		publish(tracked.ring());
	}

	/* Acts on what was seen, and sees to it that there is a next look. */
	private void look(ObjectKey key) {
		TrackedLease tracked = this.leases.get(key);
		if (tracked == null || !this.rings.contains(tracked.ring())) {
			return;
		}
		publish(tracked.ring());
		if (tracked.isBusy()) {
			return;
		}
		Moment now = now();
		ShardState state = tracked.state(now.wall());
		ShardLeaseDecision decision = ShardLeaseDecision.of(tracked.seen(), this.reachableSince, now);
		if (!tracked.hasStateLabel(state) && !tracked.isStateLabelRefused(state)) {
			log.info("Shard changed its state lease={} ring={} state={}", key, tracked.ring(), state.label());
			showState(key, tracked, state);
		}
		else if (decision instanceof ShardLeaseDecision.Take) {
			log.info("Taking the Lease of a dead shard lease={} ring={}", key, tracked.ring());
			request(key, tracked, this.requests.take(tracked.lease(), now.wall()));
		}
		else if (decision instanceof ShardLeaseDecision.Delete) {
			log.info("Deleting the Lease of a shard that is long gone lease={} ring={}", key, tracked.ring());
			delete(key, tracked);
		}
		else if (decision instanceof ShardLeaseDecision.LookAgain again) {
			tracked.lookAgain(this.loop.schedule(() -> wake(key), delay(tracked, state, again.delay(), now)));
		}
	}

	/*
	 * While a shard is overdue, the API server is asked now and then: only if it answers
	 * all the time is the silence the shard's own.
	 */
	private Duration delay(TrackedLease tracked, ShardState state, Duration asked, Moment now) {
		Duration probe = LeaseTimes.of(tracked.record(), now.wall()).leaseDuration().dividedBy(5);
		boolean overdue = state == ShardState.EXPIRED || state == ShardState.UNCERTAIN;
		return (overdue && probe.compareTo(asked) < 0) ? probe : asked;
	}

	private void wake(ObjectKey key) {
		TrackedLease tracked = this.leases.get(key);
		if (tracked == null || tracked.isBusy()) {
			return;
		}
		Moment now = now();
		ShardState state = tracked.state(now.wall());
		if (state == ShardState.EXPIRED || state == ShardState.UNCERTAIN) {
			Duration third = LeaseTimes.of(tracked.record(), now.wall()).leaseDuration().dividedBy(3);
			request(key, tracked, this.requests.get(tracked.lease(), third));
		}
		else {
			look(key);
		}
	}

	/*
	 * The label is for people: that it cannot be written must not keep a dead shard
	 * alive.
	 */
	private void showState(ObjectKey key, TrackedLease tracked, ShardState state) {
		CompletableFuture<Lease> request = this.requests.showState(tracked.lease(), state);
		request(key, tracked, request.whenComplete((lease, failure) -> {
			if (failure != null && LeaseRequests.isRefusal(ApiException.of(failure))) {
				log.warn("{}; the state of the shard is not shown", ApiException.of(failure).getMessage());
				this.loop.execute(() -> tracked.stateLabelRefused(state));
			}
		}));
	}

	private void request(ObjectKey key, TrackedLease tracked, CompletableFuture<Lease> request) {
		tracked.busy(true);
		request.whenComplete((lease, failure) -> this.loop.execute(() -> {
			tracked.busy(false);
			if (failure != null) {
				failed(key, ApiException.of(failure));
			}
			else if (this.leases.get(key) == tracked) {
				if (!isOlder(lease, tracked.lease())) {
					tracked.see(lease, now());
				}
				look(key);
			}
		}));
	}

	private void delete(ObjectKey key, TrackedLease tracked) {
		tracked.busy(true);
		this.requests.delete(tracked.lease()).whenComplete((done, failure) -> this.loop.execute(() -> {
			tracked.busy(false);
			if (failure != null) {
				failed(key, ApiException.of(failure));
			}
		}));
	}

	private void failed(ObjectKey key, ApiException failure) {
		if (!failure.isAnswered() || failure.status() >= 500) {
			this.reachableSince = now();
		}
		log.debug("Looking at Lease {} again: {}", key, failure.getMessage());
		TrackedLease tracked = this.leases.get(key);
		if (tracked != null) {
			tracked.lookAgain(this.loop.schedule(() -> wake(key), AFTER_FAILURE));
		}
	}

	private void onStatus(InformerStatus status) {
		if (status.failingSince() != null) {
			this.reachableSince = now();
		}
	}

	private void publish(String ring) {
		if (!this.listed || !this.rings.contains(ring)) {
			return;
		}
		Moment now = now();
		List<Seat> seats = new ArrayList<>();
		this.leases.forEach((key, tracked) -> {
			if (tracked.ring().equals(ring)) {
				seats
					.add(new Seat(key, tracked.state(now.wall()).isAvailable(), tracked.record().instanceId() != null));
			}
		});
		this.vanished.forEach((key, absent) -> {
			if (absent.ring.equals(ring)) {
				seats.add(new Seat(key, absent.lease.isAvailable(now), true));
			}
		});
		Membership membership = MembershipLaw.of(seats);
		if (!membership.equals(this.memberships.put(ring, membership))) {
			this.listener.membership(ring, membership);
		}
	}

	private Moment now() {
		return new Moment(this.clock.instant(), this.nanoTime.getAsLong());
	}

	private record Vanished(VanishedLease lease, String ring) {
	}

}
