package dev.sharding.shard;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.fence.SentWrites;
import dev.sharding.internal.kubernetes.fence.WriteFence;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.reconcile.ControllerContext;
import dev.sharding.internal.kubernetes.reconcile.Ownership;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.kubernetes.slot.TermEnds;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.leadership.LeaderElection;
import dev.sharding.resource.ResourceType;

/**
 * Controllers outside any ring, which reconcile all objects: in one process at a time,
 * the elected leader, or in every process. They can live beside shards in one
 * application. Add the controllers, then start. Methods may be called from any thread.
 */
public final class LeaderElectedControllers implements AutoCloseable {

	private final KubernetesClient client;

	private final RuntimeOptions options;

	private final ApiRequests requests;

	private final ObjectCopier copier;

	private final InformerCaches caches;

	private final ControllerSet controllers;

	private final ControllerGroup group;

	private final UserCode userCode;

	private final ElectedLeader leader;

	private boolean leaderAsked;

	private LeaderElectedControllers(KubernetesClient client, RuntimeOptions options, @Nullable LeaseHolderConfig lease,
			@Nullable KubernetesClient leaseClient) {
		this.client = client;
		this.options = options;
		RequestGuard fence = (lease != null) ? WriteFence.ofLease(lease.path(), this::term, options.clock()::now,
				options.handOver().fenceLaw(), options.meters()) : RequestGuard.NONE;
		this.requests = new ApiRequests(client, fence);
		this.copier = new ObjectCopier(client.getKubernetesSerialization());
		this.caches = new InformerCaches(client, this.requests,
				new CacheScope(options.namespaces(), "", "", options.fieldManager(), options.keepManagedFields()),
				this.copier, options.clock().wall(), options.clock().nanos(), options.reads(), options.meters());
		this.userCode = new UserCode(options.meters(), options.clock().nanos());
		this.caches.noteUserCode(this.userCode);
		this.controllers = new ControllerSet(null, options.clock().nanos(), this.userCode);
		TermEnds terms = new TermEnds(new SentWrites(options.clock().nanos()));
		this.group = new ControllerGroup((lease != null) ? lease.path() : "plain", this.caches, this.controllers,
				options,
				(lease != null && leaseClient != null)
						? (listener) -> new NamedLease(lease, leaseClient, options, () -> true, listener, terms) : null,
				terms, (holder, patience) -> CompletableFuture.completedFuture(true), this.userCode);
		this.leader = new ElectedLeader(lease, fence, this.group::mayAct, this::mayWrite, options.clock()::now);
		this.controllers.elect(this.leader);
		this.caches
			.addListener(new CacheEvents(new EventRecorder(new ApiRequests(client), client.getKubernetesSerialization(),
					options.fieldManager(), options.fieldManager(), options.clock().wall())));
	}

	/**
	 * Controllers that run in the elected leader only. The others keep their caches warm.
	 * @param client the connection for everything but the Lease; not closed
	 * @param leaseClient the connection for the Lease; not closed
	 * @param lease the Lease that all candidates want, see
	 * {@link LeaseHolderConfig#leader}
	 * @param options everything else
	 * @return the controllers
	 */
	public static LeaderElectedControllers elected(KubernetesClient client, KubernetesClient leaseClient,
			LeaseHolderConfig lease, RuntimeOptions options) {
		return new LeaderElectedControllers(client, options, lease, leaseClient);
	}

	/**
	 * Controllers that run in every process.
	 * @param client the connection; not closed
	 * @param options everything else
	 * @return the controllers
	 */
	public static LeaderElectedControllers everywhere(KubernetesClient client, RuntimeOptions options) {
		return new LeaderElectedControllers(client, options, null, null);
	}

	/**
	 * Adds a controller.
	 * @param <T> the main resource
	 * @param spec what the controller is made of
	 * @return the controller
	 * @throws IllegalStateException if the controllers were started before
	 */
	public <T extends HasMetadata> Controller<T> add(ControllerSpec<T> spec) {
		if (this.group.phase() != RuntimePhase.STOPPED) {
			throw new IllegalStateException("'%s' must be added before the controllers start".formatted(spec.name()));
		}
		this.caches.requireNoMarker(spec.type());
		this.caches.declareNeeded(spec.type());
		Controller<T> controller = new Controller<>(spec,
				new ControllerContext<>(this.caches.store(spec.type()), this.caches.of(spec.type()),
						Ownership.EVERYTHING, LeaderElectedControllers::noDrain, null,
						(this.group.lease() != null) ? this.leader::term : null, this.group::mayAct, this.requests,
						this.copier, this.options.threads(), this.options.meters(), this.options.observations(),
						this.options.clock().nanos(), Map::of, this.userCode));
		this.controllers.add(controller);
		return controller;
	}

	/**
	 * The election by which the controllers run, for whoever else is to act in the leader
	 * only. To be asked for before the controllers start; without controllers the process
	 * is a candidate all the same.
	 * @return the election; without a Lease, every process is a leader
	 * @throws IllegalStateException if it is asked for the first time after the start
	 */
	public synchronized LeaderElection leaderElection() {
		if (!this.leaderAsked) {
			if (this.group.phase() != RuntimePhase.STOPPED) {
				throw new IllegalStateException("The election must be asked for before the controllers start");
			}
			this.controllers.add(this.leader.work());
			this.leaderAsked = true;
		}
		return this.leader;
	}

	/**
	 * Whether there is anything to do beside the controllers.
	 * @return whether the election was asked for
	 */
	public boolean hasWork() {
		return this.controllers.hasWork();
	}

	/**
	 * The caches of the controllers; they fill when these start.
	 * @return the caches, which cover everything
	 */
	public ResourceCaches caches() {
		return this.caches;
	}

	/**
	 * Records Kubernetes Events in the name of {@code controller}.
	 * @param controller who reports, a qualified name
	 * @param instance which process reports
	 * @return a new recorder
	 */
	public EventRecorder events(String controller, String instance) {
		return new EventRecorder(this.requests, this.client.getKubernetesSerialization(), controller, instance,
				this.options.clock().wall());
	}

	/**
	 * The controllers that were added.
	 * @return the controllers
	 */
	public List<Controller<?>> controllers() {
		return this.controllers.all();
	}

	/**
	 * How the controllers stand.
	 * @return the phase
	 */
	public RuntimePhase phase() {
		return this.group.phase();
	}

	/**
	 * The holder of the leader Lease at this moment.
	 * @return the holder, for its status, or {@code null} without an election
	 */
	public @Nullable LeaseHolder lease() {
		return this.group.lease();
	}

	/**
	 * The calls of user code that last too long.
	 * @return the longest first
	 */
	public List<StuckCall> stuckCalls() {
		return this.userCode.stuck();
	}

	/**
	 * How the informers fare.
	 * @return the status by the name of the resource
	 */
	public Map<String, InformerStatus> informers() {
		return this.caches.statuses();
	}

	/**
	 * What is held of own writes; nothing at rest.
	 * @return the status by the name of the resource
	 */
	public Map<String, OverlayStatus> overlays() {
		return this.caches.overlayStatuses();
	}

	/**
	 * Adds a listener.
	 * @param listener hears of every change of the phase
	 */
	public void addListener(RuntimeListener listener) {
		this.group.addListener(listener);
	}

	/**
	 * Looks whether the API server can do what consistent reads need; takes some seconds
	 * if it does not answer. To be called before reconciles begin.
	 * @throws dev.sharding.internal.kubernetes.cache.read.IncomparableVersionsException
	 * if the options want what cannot be
	 */
	public void checkReads() {
		this.caches.checkReads();
	}

	/**
	 * The strategies of consistent reads, which can be overridden while the process runs.
	 * @return what is in force, also later
	 */
	public ReadStrategies readStrategies() {
		return this.caches.readStrategies();
	}

	/** Starts the controllers. Returns at once. */
	public void start() {
		start(() -> {
		});
	}

	/**
	 * Starts the controllers, and looks on the way whether they may act: caches fill
	 * meanwhile, but no Lease is written and nothing is reconciled before.
	 * @param look looks, on the calling thread; if it throws, all is closed and the
	 * failure passed on
	 */
	public void start(Runnable look) {
		this.group.start(look);
	}

	/**
	 * Stops the controllers for good, waits for the reconciles that run, and gives the
	 * Lease back if they end in time.
	 */
	@Override
	public void close() {
		this.group.stop();
	}

	private boolean mayWrite() {
		return this.group.lease() == null || this.options.handOver()
			.fenceLaw()
			.lease(this.group.term(), this.options.clock().now()) instanceof FenceDecision.Allowed;
	}

	private @Nullable LeaseTerm term() {
		return this.group.term();
	}

	private static boolean noDrain(ResourceType<?> type, HasMetadata object) {
		throw new IllegalStateException("Outside a ring nothing is drained (%s)".formatted(type));
	}

}
