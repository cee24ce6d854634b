package dev.sharding.internal.sharder.webhook;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.Hearing;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.lease.ShardClaim;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.LeaseMembership;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The rings as the webhook sees them, kept by watches that go on whoever leads, so that a
 * replica that is not the leader answers the same as the leader. A hash ring is built
 * once per set of available shards.
 */
final class RingViews implements AutoCloseable {

	private static final Duration FOREVER = Duration.ofDays(365);

	private final SharedWatches watches;

	private final InformerHandler<ControllerRing> ringHandler;

	private final InformerHandler<Lease> leaseHandler = this::onLease;

	private final LeaseTrust trust;

	private final InstantSource clock;

	private final LongSupplier nanoTime;

	private final WebhookMetrics metrics;

	private final Map<String, RingView> views = new ConcurrentHashMap<>();

	/* What was heard of the Leases of each ring. */
	private final Map<String, Hearing> heard = new ConcurrentHashMap<>();

	/* The claims of shards whose Lease vanished: like the leader, it keeps them. */
	private final Map<ObjectKey, Lease> vanished = new ConcurrentHashMap<>();

	private volatile boolean synced;

	RingViews(SharedWatches watches, LeaseTrust trust, InstantSource clock, LongSupplier nanoTime,
			WebhookMetrics metrics, Runnable ringsChanged) {
		this.watches = watches;
		this.trust = trust;
		this.clock = clock;
		this.nanoTime = nanoTime;
		this.metrics = metrics;
		this.ringHandler = (event) -> {
			onRing(event);
			ringsChanged.run();
		};
	}

	/**
	 * Starts to watch, unless that has begun.
	 * @return completes once rings and Leases are known
	 */
	CompletableFuture<Void> start() {
		this.watches.rings().addHandler(this.ringHandler);
		this.watches.leases().addHandler(this.leaseHandler);
		this.watches.rings().start();
		this.watches.leases().start();
		return CompletableFuture.allOf(this.watches.rings().synced(), this.watches.leases().synced()).thenRun(() -> {
			this.synced = true;
			rings().forEach((ring) -> look(ring.getMetadata().getName()));
		});
	}

	/** The ring of that name, or {@code null} if it is not known. */
	@Nullable RingView view(String ring) {
		return this.views.get(ring);
	}

	boolean isSynced() {
		return this.synced;
	}

	/** All rings, as seen last. */
	Collection<ControllerRing> rings() {
		return this.watches.rings().store().list();
	}

	private void onRing(InformerEvent<ControllerRing> event) {
		if (event instanceof InformerEvent.Added<ControllerRing> added) {
			look(added.object().getMetadata().getName());
		}
		else if (event instanceof InformerEvent.Updated<ControllerRing> updated) {
			look(updated.after().getMetadata().getName());
		}
		else if (event instanceof InformerEvent.Removed<ControllerRing> removed) {
			look(removed.last().getMetadata().getName());
		}
	}

	private void onLease(InformerEvent<Lease> event) {
		if (event instanceof InformerEvent.Added<Lease> added) {
			heard(ring(added.object()));
			returned(added.object());
			look(ring(added.object()));
		}
		else if (event instanceof InformerEvent.Updated<Lease> updated) {
			heard(ring(updated.after()));
			returned(updated.after());
			if (!isRenewal(updated.before(), updated.after())) {
				look(ring(updated.before()));
				look(ring(updated.after()));
			}
		}
		else if (event instanceof InformerEvent.Removed<Lease> removed) {
			heard(ring(removed.last()));
			vanished(removed.last());
			look(ring(removed.last()));
		}
	}

	private void heard(String ring) {
		RingView view = this.views.get(ring);
		if (view != null) {
			long now = this.nanoTime.getAsLong();
			this.heard.computeIfPresent(ring, (same, before) -> before.again(now, view.silence()));
		}
	}

	private boolean isOfThePresent(String ring, Duration silence) {
		Hearing hearing = this.heard.get(ring);
		return hearing != null && hearing.isOfThePresent(this.nanoTime.getAsLong(), silence);
	}

	/*
	 * The leader goes on to count a shard that made its Lease again, and marks that in a
	 * moment. Until then it is here what it was as well.
	 */
	private static boolean isUnmarkedAgain(Lease lease, @Nullable Lease last) {
		return last != null && isMarked(last) && !isMarked(lease) && ring(last).equals(ring(lease))
				&& LeaseRecords.of(lease).isHeldByItself();
	}

	private static Lease markedAs(Lease lease, @Nullable Lease last) {
		return (last != null && isUnmarkedAgain(lease, last)) ? new LeaseBuilder(lease).editMetadata()
			.addToAnnotations(ShardingLabels.SETTLED, last.getMetadata().getAnnotations().get(ShardingLabels.SETTLED))
			.endMetadata()
			.build() : lease;
	}

	private void returned(Lease lease) {
		this.vanished.computeIfPresent(ObjectKey.of(lease), (key, last) -> isUnmarkedAgain(lease, last) ? last : null);
	}

	private static boolean isMarked(Lease lease) {
		return LeaseRecords.slotLease(lease).settled() != null;
	}

	private void vanished(Lease removed) {
		ObjectKey key = ObjectKey.of(removed);
		Lease last = markedAs(removed, this.vanished.get(key));
		String ring = ring(last);
		if (LeaseMembership.of(List.of(last), this.trust, this.clock.instant()).available().isEmpty()) {
			return;
		}
		Moment now = new Moment(this.clock.instant(), this.nanoTime.getAsLong());
		LeaseRecord record = LeaseRecords.of(last);
		Duration unknown = ShardClaim.first(record, false, this.trust.longest(), now)
			.gone(this.trust.longest(), now)
			.untilOver(record.instanceId() != null, Duration.ZERO, now);
		this.vanished.put(key, last);
		CompletableFuture.delayedExecutor(unknown.toNanos(), TimeUnit.NANOSECONDS).execute(() -> {
			this.vanished.remove(key, last);
			look(ring);
		});
	}

	/*
	 * Who holds the Lease decides, and what is noted on it; that it was renewed changes
	 * nothing.
	 */
	private boolean isRenewal(Lease before, Lease after) {
		return ring(before).equals(ring(after)) && holder(before).equals(holder(after)) && !holder(after).isEmpty()
				&& isBelieved(before) == isBelieved(after) && acquired(before).equals(acquired(after))
				&& annotations(before).equals(annotations(after));
	}

	private boolean isBelieved(Lease lease) {
		return LeaseRecords.of(lease).isBelieved(this.trust.longest());
	}

	private synchronized void look(String name) {
		if (!this.synced || name.isEmpty()) {
			return;
		}
		ControllerRing ring = this.watches.rings().store().get(new ObjectKey("", name));
		if (ring == null) {
			this.views.remove(name);
			this.heard.remove(name);
			return;
		}
		Map<ObjectKey, Lease> absent = new HashMap<>();
		this.vanished.forEach((key, lease) -> {
			if (ring(lease).equals(name)) {
				absent.put(key, lease);
			}
		});
		List<Lease> present = this.watches.leasesOf(name)
			.stream()
			.map((lease) -> markedAs(lease, absent.get(ObjectKey.of(lease))))
			.toList();
		Membership membership = LeaseMembership.of(present, absent, this.trust, this.clock.instant());
		RingView before = this.views.get(name);
		HashRing shards = (before != null) ? before.shards() : null;
		HashRing latest = (shards != null) ? membership.hashRing(shards) : membership.hashRing();
		if (shards == null || !shards.isSameAs(latest)) {
			shards = latest;
			this.metrics.ringCalculated(name);
		}
		this.heard.putIfAbsent(name, Hearing.first(this.nanoTime.getAsLong()));
		Duration silence = silence(name, membership.available());
		this.views.put(name,
				new RingView(RingView.resources(ring.getSpec()), shards, silence, () -> isOfThePresent(name, silence)));
	}

	/* The first Lease of an available shard that is not renewed in time is over then. */
	private Duration silence(String name, Set<String> available) {
		return this.watches.leasesOf(name)
			.stream()
			.filter((lease) -> available.contains(lease.getMetadata().getName()))
			.map((lease) -> LeaseRecords.of(lease).leaseDurationSeconds())
			.filter(Objects::nonNull)
			.min(Comparator.naturalOrder())
			.map(Duration::ofSeconds)
			.orElse(FOREVER);
	}

	@Override
	public void close() {
		this.watches.rings().removeHandler(this.ringHandler);
		this.watches.leases().removeHandler(this.leaseHandler);
	}

	private static Map<String, String> annotations(Lease lease) {
		Map<String, String> annotations = lease.getMetadata().getAnnotations();
		return (annotations != null) ? annotations : Map.of();
	}

	private static String acquired(Lease lease) {
		return (lease.getSpec() != null) ? String.valueOf(lease.getSpec().getAcquireTime()) : "";
	}

	private static String holder(Lease lease) {
		return (lease.getSpec() != null && lease.getSpec().getHolderIdentity() != null)
				? lease.getSpec().getHolderIdentity() : "";
	}

	private static String ring(Lease lease) {
		Map<String, String> labels = lease.getMetadata().getLabels();
		String ring = (labels != null) ? labels.get(ShardingLabels.LEASE_RING) : null;
		return (ring != null) ? ring : "";
	}

}
