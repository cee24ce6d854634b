package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import dev.sharding.cache.InformerEvent;
import dev.sharding.client.ApiException;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.kubernetes.resource.ResourceDiscovery;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.memory.MemoryThrottle;
import dev.sharding.internal.sharder.overview.RingOverview;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.NamespaceChange;
import dev.sharding.internal.sharder.ring.Namespaces;
import dev.sharding.internal.sharder.ring.RingStatusWriter;
import dev.sharding.internal.sharder.ring.ServedRings;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.internal.sharder.shardlease.ShardLeases;
import dev.sharding.internal.sharder.watch.EventLoop;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.internal.sharder.watch.TermWatch;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns the objects of all ControllerRings to the available shards and looks after the
 * Leases of the shards. Two sharders must not be active at once on one cluster:
 * {@link ElectedSharder} sees to that. Where something is missing that may come (the
 * CustomResourceDefinition, a right, the API server), it tries again and says so in
 * {@link #status()}.
 */
public final class Sharder implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Sharder.class);

	private static final long STOP_MILLIS = 10_000;

	private static final Duration AGAIN = Duration.ofSeconds(2);

	private final SharderParts parts;

	private final SharedWatches watches;

	private final TermWatch<ControllerRing> rings;

	private final ShardLeases leases;

	private final EventRecorder events;

	private final SharderMetrics metrics;

	/* Changed on the loop only, by uid, so that a ring made anew is another one. */
	private final Map<String, RingRuntime> runtimes = new ConcurrentHashMap<>();

	/*
	 * What may carry labels of rings that are gone, or of an earlier leader's, until a
	 * ring of that name takes it over or the labels are off. On the loop only.
	 */
	private final Map<String, Set<GroupResource>> servedBefore = new HashMap<>();

	private volatile boolean closed;

	/**
	 * Creates a sharder that does nothing before {@link #start()}.
	 * @param client the API server; it must outlive the sharder
	 * @param options how it works
	 * @param registry where its metrics live
	 */
	public Sharder(KubernetesClient client, SharderOptions options, MeterRegistry registry) {
		this(client, options, Surroundings.usual(), registry, InstantSource.system(), System::nanoTime,
				RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST);
	}

	/*
	 * For leaders, and for tests: with the wrong order, which is the seam of the negative
	 * control of the safety tests, and with other clocks.
	 */
	Sharder(KubernetesClient client, SharderOptions options, Surroundings surroundings, MeterRegistry registry,
			InstantSource clock, LongSupplier nanoTime, RequestGuard guard, HandOverOrder order) {
		EventLoop loop = new EventLoop("sharder");
		MemoryThrottle throttle = new MemoryThrottle(surroundings.memory());
		ApiRequests requests = new ApiRequests(client, guard);
		// What a ring needs before it is served waits for nobody.
		KubernetesClient unthrottled = ThrottledClient.unthrottled(client);
		this.parts = new SharderParts(client, requests, options, new RingDiscovery(new ResourceDiscovery(unthrottled)),
				new Namespaces(unthrottled, (change) -> loop.execute(() -> namespaceChanged(change))),
				new RingStatusWriter(requests, client.getKubernetesSerialization(), clock),
				new ServedRings(requests.unthrottled(), client.getKubernetesSerialization(), surroundings.namespace()),
				surroundings.webhook(), surroundings.memory(), throttle, order, registry, clock, nanoTime, loop,
				surroundings.elected());
		Runnable reports = () -> loop.execute(() -> this.runtimes.values().forEach(RingRuntime::report));
		surroundings.webhook().onChange(reports);
		surroundings.memory().onChange(() -> {
			reports.run();
			loop.execute(throttle::pressureChanged);
		});
		this.watches = surroundings.watches(client);
		this.rings = new TermWatch<>(this.watches.rings(), (event) -> loop.execute(() -> onEvent(event)), (status) -> {
		}, clock, nanoTime);
		this.leases = new ShardLeases(this.watches.leases(), requests.unthrottled(),
				client.getKubernetesSerialization(), clock, nanoTime, options.leaseTrust(), surroundings.unseen(),
				options.settle(), (ring, membership) -> loop.execute(() -> onMembership(ring, membership)),
				this::graceEnded);
		this.events = new EventRecorder(requests, client.getKubernetesSerialization(), "sharding.timebertt.dev/sharder",
				"sharder", clock);
		this.metrics = new SharderMetrics(registry, this.rings::list, this.leases::list, options.leaseTrust(), clock,
				surroundings.memory());
	}

	/** Starts. Returns at once. */
	public void start() {
		log.info("Starting sharder options={}", this.parts.options());
		this.leases.start();
		readServed();
		refreshMetrics();
	}

	/* Rings are served once it is known what they were before. */
	private void readServed() {
		this.parts.served().read().whenCompleteAsync((known, failure) -> {
			if (this.closed) {
				return;
			}
			if (failure != null) {
				log.warn("{}", ApiException.of(failure).getMessage());
				this.parts.loop().schedule(this::readServed, AGAIN);
				return;
			}
			this.servedBefore.putAll(known);
			this.rings.begin().thenRunAsync(this::forgetRingsThatAreGone, this.parts.loop());
		}, this.parts.loop());
	}

	private void forgetRingsThatAreGone() {
		Map.copyOf(this.servedBefore).forEach((ring, resources) -> {
			// One that does not fit its class is there all the same.
			BooleanSupplier gone = () -> !this.closed
					&& this.watches.rings().store().undecodable(new ObjectKey("", ring)) == null
					&& this.runtimes.values().stream().noneMatch((runtime) -> runtime.name().equals(ring));
			if (gone.getAsBoolean()) {
				log.info("Ring went while no sharder ran ring={} resources={}", ring, resources);
				new RingLabels(this.parts, this.parts.connection(ring), ring, resources)
					.end(CompletableFuture.completedFuture(null), gone, () -> this.servedBefore.remove(ring));
			}
		});
	}

	/**
	 * Returns how the sharder fares.
	 * @return a snapshot
	 */
	public SharderStatus status() {
		SortedMap<String, SortedMap<String, String>> problems = new TreeMap<>();
		this.runtimes.values().forEach((runtime) -> {
			if (!runtime.problems().isEmpty()) {
				problems.put(runtime.name(), runtime.problems());
			}
		});
		return new SharderStatus(this.rings.status(), this.leases.status(), problems);
	}

	/**
	 * Returns what people see of the rings. Asks the API server nothing.
	 * @return completes soon, unless the sharder's thread hangs; never once it is closed
	 */
	CompletableFuture<List<RingOverview>> overview() {
		return CompletableFuture.supplyAsync(() -> {
			Instant now = this.parts.clock().instant();
			Map<String, List<Lease>> leases = this.leases.list()
				.stream()
				.collect(Collectors.groupingBy(
						(lease) -> lease.getMetadata().getLabels().getOrDefault(ShardingLabels.LEASE_RING, "")));
			return this.runtimes.values()
				.stream()
				.sorted(Comparator.comparing(RingRuntime::name))
				.map((runtime) -> runtime.overview(leases.getOrDefault(runtime.name(), List.of()), now))
				.toList();
		}, this.parts.loop());
	}

	/**
	 * Stops for good. Patches in flight are waited for, for a while; the client stays
	 * open.
	 */
	@Override
	public void close() {
		if (this.closed) {
			return;
		}
		this.closed = true;
		this.rings.close();
		this.leases.close();
		this.watches.close();
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.parts.loop().execute(() -> {
			CompletableFuture
				.allOf(this.runtimes.values().stream().map(RingRuntime::close).toArray(CompletableFuture[]::new))
				.thenRun(() -> stopped.complete(null));
			this.runtimes.clear();
		});
		stopped.completeOnTimeout(null, STOP_MILLIS, TimeUnit.MILLISECONDS).join();
		this.parts.namespaces().close();
		this.parts.loop().close();
		this.metrics.close();
		log.info("Stopped sharder");
	}

	private void onEvent(InformerEvent<ControllerRing> event) {
		if (this.closed) {
			// A ring that began now would be ended by nobody, beside the next leader.
			return;
		}
		if (event instanceof InformerEvent.Added<ControllerRing> added) {
			present(added.object());
		}
		else if (event instanceof InformerEvent.Updated<ControllerRing> updated) {
			if (!uid(updated.before()).equals(uid(updated.after()))) {
				absent(updated.before());
			}
			present(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<ControllerRing> removed) {
			absent(removed.last());
		}
	}

	private void present(ControllerRing ring) {
		RingRuntime runtime = this.runtimes.get(uid(ring));
		if (runtime != null) {
			runtime.update(ring);
			return;
		}
		String name = ring.getMetadata().getName();
		Set<GroupResource> before = this.servedBefore.remove(name);
		RingRuntime begun = new RingRuntime(ring, this.parts, this.leases.holds(name),
				(before != null) ? before : Set.of());
		this.runtimes.put(uid(ring), begun);
		this.leases.addRing(name);
	}

	private void absent(ControllerRing ring) {
		RingRuntime runtime = this.runtimes.remove(uid(ring));
		if (runtime != null) {
			String name = runtime.name();
			log.info("Ring is gone ring={}", name);
			this.leases.removeRing(name);
			BooleanSupplier gone = () -> !this.closed
					&& this.runtimes.values().stream().noneMatch((other) -> other.name().equals(name));
			this.servedBefore.put(name, runtime.end(gone, () -> this.servedBefore.remove(name)));
		}
	}

	private void onMembership(String ring, Membership membership) {
		this.runtimes.values()
			.stream()
			.filter((runtime) -> runtime.name().equals(ring))
			.forEach((runtime) -> runtime.membership(membership));
	}

	private void graceEnded(Lease lease) {
		this.events.normal(lease, "GraceEnded", "Move",
				"Nobody has taken the Lease within its grace: what the shard has moves to others");
	}

	private void namespaceChanged(NamespaceChange change) {
		this.runtimes.values().forEach((runtime) -> runtime.namespaceChanged(change));
	}

	private void refreshMetrics() {
		this.metrics.refresh();
		this.parts.loop().schedule(this::refreshMetrics, SharderMetrics.REFRESH);
	}

	private static String uid(ControllerRing ring) {
		return ring.getMetadata().getUid();
	}

}
