package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.sharder.assignment.RingAssignment;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems.Operation;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.placement.AssignmentSettings;
import dev.sharding.internal.sharder.overview.OverviewLaw;
import dev.sharding.internal.sharder.overview.RingOverview;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.NamespaceChange;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.ring.RingReport;
import dev.sharding.internal.sharder.ring.RingReport.Orders;
import dev.sharding.internal.sharder.ring.RingReport.Slots;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One ring from its creation to its deletion: finds out what its resources are, runs the
 * assignment of its objects anew for each generation, and keeps its status up to date.
 * Lives on the sharder's thread.
 */
final class RingRuntime {

	private static final Logger log = LoggerFactory.getLogger(RingRuntime.class);

	private static final Duration DISCOVER_AGAIN = Duration.ofSeconds(10);

	private static final Duration NAMESPACES_KNOWN_WITHIN = Duration.ofSeconds(5);

	private static final String SELECTOR = "namespaceSelector";

	private static final String UNKNOWN = "unknown groups";

	private final SharderParts parts;

	private final ShardHolds holds;

	private final RingConnection connection;

	private final ResourceProblems problems;

	/* Of the present assignment; they end with it. */
	private volatile ResourceProblems assignmentProblems;

	private final RingStatusLoop status;

	private final RingLabels labels;

	private final RingNamespaces namespaces;

	private ControllerRing ring;

	private @Nullable Membership membership;

	private @Nullable RingAssignment assignment;

	/* The patches of the assignment before this one. */
	private CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);

	/* What was shared out last. */
	private volatile @Nullable RingScope scope;

	/* Namespaces that left it, and that may have lost some of their labels. */
	private final Set<String> leaving = new HashSet<>();

	private SortedMap<String, String> stuckDrains = Collections.emptySortedMap();

	/* The kinds that the running assignment knows. */
	private Map<?, ?> running = Map.of();

	private long runningGeneration;

	/* What was missing when it was asked for last. */
	private Set<String> absent = Set.of();

	/* Answers to older questions do not count. */
	private int question;

	private boolean discoverScheduled;

	private boolean closed;

	/**
	 * Begins to serve a ring.
	 * @param servedBefore the resources that carried its labels when it was served last
	 */
	RingRuntime(ControllerRing ring, SharderParts parts, ShardHolds holds, Set<GroupResource> servedBefore) {
		this.ring = ring;
		this.parts = parts;
		this.holds = holds;
		this.connection = parts.connection(name());
		this.problems = new ResourceProblems(this::problemsChanged);
		this.assignmentProblems = new ResourceProblems(this::problemsChanged);
		this.status = new RingStatusLoop(parts);
		this.labels = new RingLabels(parts, this.connection, name(), servedBefore);
		this.namespaces = new RingNamespaces(parts, this::turned);
		this.connection.metrics().onProgress(() -> parts.loop().execute(this::report));
		discover();
	}

	void update(ControllerRing latest) {
		boolean changed = latest.getMetadata().getGeneration() != generation();
		this.ring = latest;
		this.status.seen();
		if (this.assignment != null) {
			this.assignment.paused(isPaused());
		}
		if (changed) {
			log.info("Ring changed ring={} generation={}", name(), latest.getMetadata().getGeneration());
			discover();
		}
		report();
	}

	void membership(Membership latest) {
		this.membership = latest;
		if (this.assignment != null) {
			this.assignment.membership(latest);
		}
		report();
	}

	/* An assignment that begins later looks at all namespaces. */
	void namespaceChanged(NamespaceChange change) {
		RingScope now = this.scope;
		if (this.assignment != null && now != null) {
			this.namespaces.changed(change, now.namespaces());
		}
	}

	/* Returns about how many lists that takes. */
	private int turned(Set<String> changed) {
		RingScope now = this.scope;
		if (this.assignment == null || now == null) {
			return 0;
		}
		Set<String> came = changed.stream().filter(now.namespaces()::includes).collect(Collectors.toSet());
		Set<String> left = changed.stream().filter(now.namespaces()::leavesOut).collect(Collectors.toSet());
		if (!came.isEmpty()) {
			this.assignment.came(came);
			if (this.leaving.removeAll(came)) {
				// What it controls may have lost its label while the main object kept it.
				this.assignment.resync();
			}
		}
		if (!left.isEmpty()) {
			this.leaving.addAll(left);
			this.labels.left(now.all(), left, now.namespaces(), whileUnchanged(now)).thenAcceptAsync((clean) -> {
				if (clean) {
					// Not one that is back already, and is looked at later.
					this.leaving.removeAll(left.stream().filter((name) -> !now.namespaces().includes(name)).toList());
				}
			}, this.parts.loop());
		}
		int each = (came.size() > NamespaceChurn.FEW) ? 1 : came.size();
		return each * now.resources().size() + RingLabels.lists(left.size()) * now.all().size();
	}

	/**
	 * What people see of it.
	 * @param leases those of this ring
	 */
	RingOverview overview(Collection<Lease> leases, Instant now) {
		RingScope known = this.scope;
		Map<String, Boolean> resources = new TreeMap<>();
		if (known != null) {
			known.all().forEach((resource) -> resources.put(resource.toString(), resource.role() == ResourceRole.MAIN));
		}
		Membership shards = this.membership;
		return OverviewLaw.of(this.ring, resources, leases, (shards != null) ? shards : Membership.EMPTY,
				this.connection.activity().work(), (this.assignment != null) ? this.assignment.failures() : Map.of(),
				now);
	}

	/**
	 * Ends, and leaves all labels.
	 * @return completes once no patch is in flight; never fails
	 */
	CompletableFuture<Void> close() {
		this.closed = true;
		this.status.close();
		stop();
		return this.ended;
	}

	SortedMap<String, String> problems() {
		return this.problems.byResourceWith(this.assignmentProblems);
	}

	private void problemsChanged() {
		this.parts.loop().execute(() -> {
			report();
			discoverAgainIfTroubled();
		});
	}

	private void discover() {
		int mine = ++this.question;
		this.parts.discovery().find(this.ring.getSpec()).thenCompose((found) -> {
			if (selector() == null) {
				return CompletableFuture.completedFuture(found);
			}
			return this.parts.namespaces()
				.start()
				.orTimeout(NAMESPACES_KNOWN_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
				.handle((started, failure) -> (failure == null) ? found
						: found.without("namespaces", this.parts.namespaces().error()));
		}).thenAcceptAsync((found) -> {
			if (!this.closed && mine == this.question) {
				found(found, mine);
			}
		}, this.parts.loop());
	}

	private void found(RingDiscovery.Found found, int mine) {
		forgetProblems();
		found.absent().forEach((resource, reason) -> this.problems.failed(resource, Operation.DISCOVER, reason));
		Map<Object, Object> wanted = new LinkedHashMap<>(found.resources());
		wanted.put(SELECTOR, String.valueOf(selector()));
		wanted.put(UNKNOWN, found.unknownGroups());
		boolean keep = found.unanswered() && this.assignment != null && this.runningGeneration == generation();
		if (!keep && !wanted.equals(this.running)) {
			stop();
			// Other rings wait for this thread: no patch may be waited for on it.
			this.ended.thenRunAsync(() -> {
				if (!this.closed && mine == this.question) {
					begin(found, wanted);
				}
			}, this.parts.loop());
		}
		else {
			if (this.runningGeneration != generation()) {
				// Not a change that matters, but it ended the clean-up of the one before.
				this.runningGeneration = generation();
				cleanUp(this.assignment != null);
			}
			if (this.assignment != null && !found.absent().keySet().containsAll(this.absent)) {
				this.assignment.resync();
			}
		}
		this.absent = Set.copyOf(found.absent().keySet());
		report();
		discoverAgainIfTroubled();
	}

	private void begin(RingDiscovery.Found found, Map<?, ?> wanted) {
		RingScope before = this.scope;
		start(found);
		cleanUp(before != this.scope && (before != null || selector() != null));
		if (before == null && selector() == null) {
			leaveExcluded();
		}
		this.running = wanted;
		this.runningGeneration = generation();
		report();
	}

	/*
	 * A resource that makes trouble may be there by now, or be served in another version.
	 */
	private void discoverAgainIfTroubled() {
		if (this.discoverScheduled || this.closed || problems().isEmpty()) {
			return;
		}
		this.discoverScheduled = true;
		this.parts.loop().schedule(() -> {
			this.discoverScheduled = false;
			if (!this.closed && !problems().isEmpty()) {
				discover();
			}
		}, DISCOVER_AGAIN);
	}

	/* An invalid selector stays one until the ring begins with another. */
	private void forgetProblems() {
		this.problems.byResource()
			.keySet()
			.stream()
			.filter((resource) -> !resource.equals(SELECTOR))
			.forEach((resource) -> this.problems.succeeded(resource, Operation.DISCOVER));
	}

	/** Selects the namespaces, unless all but the excluded ones are meant. */
	private @Nullable LabelSelector selector() {
		LabelSelector own = this.ring.getSpec().namespaceSelector();
		return (own != null) ? own : this.parts.options().namespaceSelector();
	}

	private void start(RingDiscovery.Found found) {
		NamespaceFilter filter;
		try {
			LabelSelector selector = selector();
			filter = (selector != null) ? NamespaceFilter.selecting(selector, this.parts.namespaces()::labels)
					: NamespaceFilter.excluding(this.parts.options().excludedNamespaces());
		}
		catch (IllegalArgumentException ex) {
			this.problems.failed(SELECTOR, Operation.DISCOVER, String.valueOf(ex.getMessage()));
			return;
		}
		this.problems.succeeded(SELECTOR, Operation.DISCOVER);
		AssignmentSettings settings = new AssignmentSettings(this.parts.options().syncPeriod(),
				this.parts.options().concurrentMoves(), this.parts.options().mode(),
				this.parts.options().drainPatience(), this.parts.options().drainBudget());
		RingScope begunScope = new RingScope(name(), found.resources(), filter, found.unknownGroups());
		this.scope = begunScope;
		this.leaving.clear();
		RingAssignment begun = new RingAssignment(begunScope, this.connection, settings, this.holds, this.parts.order(),
				this.assignmentProblems, (stuck) -> this.parts.loop().execute(() -> stuck(stuck)));
		this.assignment = begun;
		begun.paused(isPaused());
		begun.start();
		log.info("Serving ring={} resources={}", name(), found.resources());
		if (this.membership != null) {
			begun.membership(this.membership);
		}
	}

	/*
	 * Takes the labels off what is not listed or not selected any more. A resource that
	 * is listed but was not found now keeps them.
	 */
	private void cleanUp(boolean otherNamespaces) {
		this.labels.listed(RingDiscovery.listed(this.ring.getSpec()), whileUnchanged());
		if (otherNamespaces) {
			leaveUnselected();
		}
	}

	/*
	 * They may have been excluded, or the selector taken away, while nobody led.
	 */
	private void leaveExcluded() {
		RingScope now = this.scope;
		if (now != null) {
			this.labels.left(now.all(), this.parts.options().excludedNamespaces(), now.namespaces(),
					whileUnchanged(now));
		}
	}

	private void leaveUnselected() {
		RingScope now = this.scope;
		if (now == null) {
			return;
		}
		CompletableFuture<Void> known = (selector() != null) ? this.parts.namespaces().start()
				: CompletableFuture.completedFuture(null);
		BooleanSupplier wanted = whileUnchanged(now);
		known.thenRun(() -> this.labels.selected(now.all(), now.namespaces(), wanted));
	}

	private BooleanSupplier whileUnchanged() {
		long since = generation();
		return () -> !this.closed && generation() == since;
	}

	/* An edited ring may select again what the scope before left out. */
	private BooleanSupplier whileUnchanged(RingScope now) {
		BooleanSupplier unchanged = whileUnchanged();
		return () -> unchanged.getAsBoolean() && this.scope == now;
	}

	/**
	 * Ends for good, as the ring is gone, and takes its labels off its objects.
	 * @param wanted whether there still is no other ring of that name
	 * @param clean called on the sharder's thread when there is no label left
	 * @return the resources that may carry its labels until then
	 */
	Set<GroupResource> end(BooleanSupplier wanted, Runnable clean) {
		return this.labels.end(close(), wanted, clean);
	}

	private void stuck(SortedMap<String, String> latest) {
		this.stuckDrains = latest;
		report();
	}

	private void stop() {
		this.stuckDrains = Collections.emptySortedMap();
		if (this.assignment != null) {
			this.ended = this.assignment.stop();
			this.assignment = null;
			this.assignmentProblems = new ResourceProblems(this::problemsChanged);
		}
		this.running = Map.of();
	}

	/** Says how the ring fares, unless its status says so already. */
	void report() {
		Membership known = this.membership;
		if (!this.closed && known != null) {
			this.status
				.report(this.ring,
						new RingReport(new Orders(isPaused(), known.cordonedAvailable()),
								new Slots(this.parts.elected(), known.givenBack(), known.settling()), known.leases(),
								known.available().size(), problems(), known.invalid(),
								// The webhook labels what these shards do not.
								this.parts.options().mode().hasWebhook() ? Collections.emptySortedSet()
										: known.unstamped(),
								known.refused(), this.stuckDrains,
								this.parts.options().mode().hasWebhook() ? this.parts.webhook().of(name()) : null,
								this.parts.memory().problem(), this.connection.metrics().progress()));
		}
	}

	private boolean isPaused() {
		return ShardingLabels.isSet(this.ring.getMetadata().getAnnotations(), ShardingLabels.PAUSED);
	}

	private long generation() {
		return this.ring.getMetadata().getGeneration();
	}

	String name() {
		return this.ring.getMetadata().getName();
	}

}
