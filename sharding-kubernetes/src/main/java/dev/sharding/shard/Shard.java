package dev.sharding.shard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InformerHandler;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.core.key.ShardingNames;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.fence.Claim;
import dev.sharding.internal.kubernetes.fence.Claims;
import dev.sharding.internal.kubernetes.fence.SentWrites;
import dev.sharding.internal.kubernetes.fence.WriteFence;
import dev.sharding.internal.kubernetes.handover.PatchingDrainHandler;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.reconcile.ControllerContext;
import dev.sharding.internal.kubernetes.reconcile.HandOver;
import dev.sharding.internal.kubernetes.reconcile.Moves;
import dev.sharding.internal.kubernetes.reconcile.ObjectPasts;
import dev.sharding.internal.kubernetes.reconcile.Ownership;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.GuardedClient;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.slot.Filling;
import dev.sharding.internal.kubernetes.slot.SlotCandidate;
import dev.sharding.internal.kubernetes.slot.SlotObjects;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.internal.kubernetes.slot.TermEnds;
import dev.sharding.internal.kubernetes.slot.Touches;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * One shard of one ring: a Lease, informers that follow only what the shard owns, caches
 * on them, and controllers. Add the controllers, then start. Methods may be called from
 * any thread.
 */
public final class Shard implements AutoCloseable {

	/** Who reports Events: the ring, below the same domain as the sharder. */
	private static final String REPORTER_PREFIX = "sharding.timebertt.dev/";

	private final KubernetesClient client;

	private final String ring;

	/** Empty while a shard with slots has none. */
	private final Supplier<String> shard;

	private final String leaseNamespace;

	private final RuntimeOptions options;

	private final WriteFence fence;

	private final ApiRequests requests;

	private final ObjectCopier copier;

	private final DrainHandler drainHandler;

	private final DrainHandler drains;

	private final EventRecorder events;

	private final InformerCaches caches;

	private final Claims claims;

	private final Moves moves;

	private final ObjectPasts pasts;

	private final Set<ResourceType<?>> ownedByNone = new LinkedHashSet<>();

	private final OwnedObjects owned;

	private final ControllerSet controllers;

	private final ControllerGroup group;

	private final @Nullable SlotSupply slots;

	private final UserCode userCode;

	/**
	 * Creates a shard that acknowledges drains as the protocol wants it.
	 * @param client the connection for everything but the Lease; not closed by the shard
	 * @param leaseClient the connection for the Lease, see
	 * {@link dev.sharding.internal.kubernetes.lease.LeaseClients}; not closed by the
	 * shard
	 * @param ring the name of the ControllerRing
	 * @param lease the Lease, whose identity is the name of the shard
	 * @param options everything else
	 */
	public Shard(KubernetesClient client, KubernetesClient leaseClient, String ring, LeaseHolderConfig lease,
			RuntimeOptions options) {
		this(client, leaseClient, ring, lease, options, null);
	}

	/**
	 * Creates a shard with another way to acknowledge drains.
	 * @param client the connection for everything but the Lease; not closed by the shard
	 * @param leaseClient the connection for the Lease; not closed by the shard
	 * @param ring the name of the ControllerRing
	 * @param lease the Lease, whose identity is the name of the shard
	 * @param options everything else
	 * @param drainHandler acknowledges drains, or {@code null} for the usual one
	 */
	public Shard(KubernetesClient client, KubernetesClient leaseClient, String ring, LeaseHolderConfig lease,
			RuntimeOptions options, @Nullable DrainHandler drainHandler) {
		this(client, leaseClient, ring, lease, null, options, drainHandler);
	}

	/**
	 * Creates a shard that acquires a slot, and stands by while it has none: its name is
	 * that of the slot. It acknowledges drains as the protocol wants it unless told
	 * otherwise.
	 * @param client the connection for everything but the Lease; not closed by the shard
	 * @param leaseClient the connection for the Leases; not closed by the shard
	 * @param slots which slots, of which ring, and as whom
	 * @param options everything else
	 * @param drainHandler acknowledges drains, or {@code null} for the usual one
	 * @return the shard
	 */
	public static Shard ofSlots(KubernetesClient client, KubernetesClient leaseClient, SlotOptions slots,
			RuntimeOptions options, @Nullable DrainHandler drainHandler) {
		return new Shard(client, leaseClient, slots.ring(), null, slots, options, drainHandler);
	}

	private Shard(KubernetesClient client, KubernetesClient leaseClient, String ring, @Nullable LeaseHolderConfig lease,
			@Nullable SlotOptions slots, RuntimeOptions options, @Nullable DrainHandler drainHandler) {
		this.client = client;
		this.ring = ring;
		ShardingNames.requireRing(this.ring);
		String fixed = (lease != null) ? ShardingNames.requireShard(lease.identity()) : "";
		this.shard = (lease != null) ? () -> fixed : this::slot;
		this.options = options;
		SentWrites sent = new SentWrites(options.clock().nanos());
		Claims claims = new Claims(ring, this.shard, options.clock()::now);
		this.fence = WriteFence.ofShard(ring, this::term, options.clock()::now, options.handOver().fenceLaw(),
				options.meters(), claims, this::cached, sent);
		this.requests = new ApiRequests(client, this.fence);
		this.copier = new ObjectCopier(client.getKubernetesSerialization());
		String reporter = REPORTER_PREFIX + ring;
		Supplier<String> instance = (slots != null) ? () -> slot().isEmpty() ? slots.pod() : slot() : this.shard;
		// Not counted: an Event that arrives late changes no object of the shard.
		this.events = new EventRecorder(new ApiRequests(client, this.fence::admit), client.getKubernetesSerialization(),
				reporter, instance, options.clock().wall());
		this.caches = new InformerCaches(client, this.requests,
				new CacheScope(options.namespaces(), ring, fixed, options.fieldManager(), options.keepManagedFields()),
				this.copier, options.clock().wall(), options.clock().nanos(), options.reads(), options.meters());
		DrainHandler handler = (drainHandler != null) ? drainHandler : new PatchingDrainHandler(this.requests, ring);
		this.drainHandler = (handler instanceof PatchingDrainHandler usual)
				? usual.through(this.requests).tellingAnswersTo(this.caches::handIn) : handler;
		this.drains = new ShardDrains(claims, this.drainHandler,
				(handler instanceof PatchingDrainHandler usual) ? usual.through(this.requests) : handler);
		this.claims = claims;
		this.userCode = new UserCode(options.meters(), options.clock().nanos());
		this.caches.noteUserCode(this.userCode);
		this.moves = new Moves(options.clock().wall(), options.clock().nanos(), this.userCode);
		this.pasts = new ObjectPasts(this.requests, client.getKubernetesSerialization(), ring);
		this.owned = new OwnedObjects(this.caches, ring);
		this.controllers = new ControllerSet(claims, options.clock().nanos(), this.userCode);
		// What bears the shard's label was given to a process of its name that had a
		// Lease.
		TermEnds terms = new TermEnds(sent);
		ApiRequests unguarded = new ApiRequests(client);
		this.group = new ControllerGroup((lease != null) ? ring + "/" + fixed : ring, this.caches, this.controllers,
				options, (listener) -> supply(leaseClient, lease, slots, terms, unguarded.unthrottled(), listener),
				terms, this::touch, this.userCode);
		this.slots = this.group.slots();
		this.leaseNamespace = (lease != null) ? lease.namespace() : Objects.requireNonNull(slots).namespace();
		// Tells on the Lease what became of it, also when it is lost.
		EventRecorder unfenced = new EventRecorder(unguarded, client.getKubernetesSerialization(), reporter, instance,
				options.clock().wall());
		this.group.addListener(new LeaseEvents(unfenced, () -> {
			LeaseHolder holder = this.group.lease();
			return (holder != null) ? holder.config() : null;
		}, this::story));
		this.caches.addListener(new CacheEvents(unfenced));
	}

	private LeaseSupply supply(KubernetesClient leaseClient, @Nullable LeaseHolderConfig lease,
			@Nullable SlotOptions wanted, TermEnds terms, ApiRequests requests, LeaseListener listener) {
		if (lease != null) {
			return new NamedLease(lease, leaseClient, this.options, this.owned::any, listener, terms);
		}
		SlotOptions slotOptions = Objects.requireNonNull(wanted);
		SlotObjects objects = new SlotObjects(requests, this.client.getKubernetesSerialization(),
				this.caches::shardedTypes, this.options.namespaces(), this.ring);
		Filling filling = new Filling(this.caches, () -> this.controllers.connectOurs(this.caches),
				this.claims::unfollow, this.options.giveUpAfter());
		return new SlotSupply(slotOptions, leaseClient, this.options,
				(hears) -> new SlotCandidate(slotOptions, leaseClient, ThrottledClient.unthrottled(this.client),
						requests, this.client.getKubernetesSerialization(), objects, this.options.clock(), hears),
				filling, listener, terms);
	}

	/*
	 * Only in this term, and not counted: one that arrives late is refused, or harmless.
	 */
	private CompletableFuture<Boolean> touch(LeaseHolder holder, Duration patience) {
		LeaseTerm term = holder.status().term();
		long number = (term != null) ? term.number() : -1;
		WriteFence gate = WriteFence.ofLease(this.ring,
				() -> holder.term().filter((now) -> now.number() == number).orElse(null), this.options.clock()::now,
				this.options.handOver().fenceLaw(), this.options.meters());
		String value = "%s/%s".formatted(holder.config().instanceId(),
				(term != null) ? term.acquired().wall().toEpochMilli() : 0);
		List<Touches.Target> targets = new ArrayList<>();
		this.caches.forEachOfOurs((type, metadata) -> {
			Map<String, String> annotations = metadata.getAnnotations();
			if (annotations == null || !value.equals(annotations.get(ShardingLabels.TOUCHED))) {
				targets.add(new Touches.Target(type,
						new ObjectKey(Objects.requireNonNullElse(metadata.getNamespace(), ""), metadata.getName()),
						metadata.getResourceVersion()));
			}
		});
		return Touches.run(this.client.getKubernetesSerialization(), new ApiRequests(this.client, gate),
				this.options.fieldManager(), value, patience, this.options.clock().nanos(), targets);
	}

	private String slot() {
		return (this.slots != null) ? this.slots.slot() : "";
	}

	private @Nullable String story() {
		return (this.slots != null) ? this.slots.story() : null;
	}

	private @Nullable LeaseTerm term() {
		return this.group.term();
	}

	private @Nullable HasMetadata cached(GroupResource resource, ObjectKey key) {
		return this.caches.find(resource, key);
	}

	/**
	 * Adds a controller of a main resource of the ring, with the controlled resources
	 * that it owns.
	 * @param <T> the main resource
	 * @param spec what the controller is made of
	 * @return the controller
	 * @throws IllegalStateException if the shard was started before
	 */
	public <T extends HasMetadata> Controller<T> add(ControllerSpec<T> spec) {
		requireStopped();
		this.caches.declareMain(spec.type());
		this.owned.main(spec.type());
		for (SecondaryWatch<?> watch : spec.watches()) {
			if (watch.sharded()) {
				cacheControlled(watch.type());
			}
		}
		Controller<T> controller = new Controller<>(spec,
				new ControllerContext<>(this.caches.store(spec.type()), this.caches.of(spec.type()),
						Ownership.of(this.ring, this.shard), this.drainHandler,
						new HandOver(this.claims, refreshOwned(spec), this.moves, this.pasts), null, this.group::mayAct,
						this.requests, this.copier, this.options.threads(), this.options.meters(),
						this.options.observations(), this.options.clock().nanos(),
						() -> Map.of("ring", this.ring, "shard", this.shard.get()), this.userCode));
		this.controllers.add(controller);
		return controller;
	}

	private @Nullable Supplier<CompletableFuture<Void>> refreshOwned(ControllerSpec<?> spec) {
		Set<ResourceType<?>> owned = new LinkedHashSet<>(this.ownedByNone);
		spec.watches().stream().filter(SecondaryWatch::sharded).forEach((watch) -> owned.add(watch.type()));
		if (owned.isEmpty() || !this.options.handOver().takeOverCheck()) {
			return null;
		}
		return () -> CompletableFuture.allOf(owned.stream()
			.map((type) -> this.caches.informer(type, true).refresh())
			.toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Adds work that begins and ends with the terms of the shard's Lease.
	 * @param work what to do
	 * @throws IllegalStateException if the shard was started before
	 */
	public void add(ShardWork work) {
		requireStopped();
		this.controllers.add(work);
	}

	/**
	 * Tells whether somebody besides the controllers works for the shard.
	 * @return whether work was added
	 */
	public boolean hasWork() {
		return this.controllers.hasWork();
	}

	/**
	 * Tells whether everybody besides the controllers who works for the shard has begun
	 * in the present term.
	 * @return whether {@link ShardWork#begin()} has returned for all; also if there is
	 * none
	 */
	public boolean hasBegunWork() {
		return this.controllers.hasBegunWork();
	}

	/**
	 * Tells why somebody besides the controllers does not work for the shard, or does not
	 * cease to.
	 * @return what {@link ShardWork#begin()} or {@link ShardWork#end()} has thrown, until
	 * the work has begun again, or has ended with the term
	 */
	public Optional<String> workProblem() {
		return Optional.ofNullable(this.controllers.workProblem());
	}

	/**
	 * Follows a main resource of the ring for a loop of the caller's own, which
	 * {@link #add(ShardWork) begins and ends} with the terms of the shard. The events
	 * come in every phase, also before the first term. Drains are the loop's to
	 * acknowledge, by {@link #drains()}.
	 * @param <T> the class of its objects
	 * @param type the main resource
	 * @param events hears of the objects with the shard's label; the writes of the loop
	 * come back to it
	 * @return the cache of the resource
	 * @throws IllegalStateException if the shard was started before
	 */
	public <T extends HasMetadata> ResourceCache<T> follow(ResourceType<T> type, InformerHandler<T> events) {
		requireStopped();
		this.caches.declareMain(type);
		this.owned.main(type);
		this.controllers.follow(new ControllerSet.Following<>(type, true, events));
		return this.caches.of(type);
	}

	/**
	 * Follows a controlled resource of the ring for a loop of the caller's own. Its cache
	 * may lack what the previous owner of an object has just made: a loop that must not
	 * make it twice reads it with {@link dev.sharding.cache.Freshness#CONSISTENT}.
	 * @param <T> the class of its objects
	 * @param type the controlled resource
	 * @param events hears of the objects with the shard's label
	 * @return the cache of the resource
	 * @throws IllegalStateException if the shard was started before
	 */
	public <T extends HasMetadata> ResourceCache<T> followControlled(ResourceType<T> type, InformerHandler<T> events) {
		cacheControlled(type);
		this.controllers.follow(new ControllerSet.Following<>(type, false, events));
		return this.caches.of(type);
	}

	/**
	 * The right to write for an object of a resource that the shard {@linkplain #follow
	 * follows}. Whoever works for the object opens
	 * {@link dev.sharding.internal.kubernetes.fence.ClaimScope#reconciling} with it, on
	 * each thread.
	 * @param type a main resource
	 * @param key the object
	 * @return the claim, live a moment ago, or {@code null} if there is none
	 */
	public @Nullable Claim claim(ResourceType<?> type, ObjectKey key) {
		return this.claims.of(type.groupResource(), key);
	}

	/**
	 * A client for a library that writes for the shard: its writes pass the fence as
	 * those of the caches do.
	 * @param completion says what a request with a text as body is about
	 * ({@link ApiRequest#about}) and may change its body; called on the thread that makes
	 * the call
	 * @return the client, over the connections of {@link #client()}; not to be closed
	 */
	public KubernetesClient fencedClient(UnaryOperator<ApiRequest> completion) {
		return GuardedClient.of(this.client, this.fence, completion);
	}

	/**
	 * Acknowledges drains for loops that are not the shard's own. The caller must see to
	 * it that nothing acts on the object during the call, nor after it unless it fails or
	 * returns {@code false}. For what the shard {@linkplain #follow follows}, no write
	 * through its caches is sent for the object any more.
	 * @return the handler
	 */
	public DrainHandler drains() {
		return this.drains;
	}

	/**
	 * Caches another resource of the ring as far as the shard owns it. Controllers that
	 * are added later find in it what the previous owner of an object made, as in what
	 * they own by their specification, when they reconcile the object for the first time.
	 * @param type a controlled resource that no controller owns by its specification
	 */
	public void addSharded(ResourceType<?> type) {
		cacheControlled(type);
		this.ownedByNone.add(type);
	}

	private void cacheControlled(ResourceType<?> type) {
		requireStopped();
		this.caches.declareSharded(type);
		this.owned.controlled(type);
	}

	/**
	 * The caches of the shard; they fill when it starts.
	 * @return the caches
	 */
	public ResourceCaches caches() {
		return this.caches;
	}

	/**
	 * Records Kubernetes Events in the name of the ring.
	 * @return the recorder
	 */
	public EventRecorder events() {
		return this.events;
	}

	/**
	 * The controllers that were added.
	 * @return the controllers
	 */
	public List<Controller<?>> controllers() {
		return this.controllers.all();
	}

	/**
	 * The name of the ring.
	 * @return the name of the ControllerRing
	 */
	public String ring() {
		return this.ring;
	}

	/**
	 * The name of the shard. With slots it is that of the slot whose Lease is held, and
	 * another one in each term.
	 * @return the name, which is that of its Lease, too; empty while it stands by for a
	 * slot
	 */
	public String name() {
		return this.shard.get();
	}

	/**
	 * How a shard with slots stands by.
	 * @return a snapshot, empty unless the phase is {@link RuntimePhase#STANDBY}
	 */
	public Optional<StandbyStatus> standby() {
		return Optional.ofNullable((this.slots != null) ? this.slots.standby() : null);
	}

	/**
	 * Which slots there are.
	 * @return the slots, empty for a shard with a name of its own
	 */
	public Optional<SlotOptions> slots() {
		return Optional.ofNullable((this.slots != null) ? this.slots.slots() : null);
	}

	/**
	 * Where the shard's Lease is, or will be.
	 * @return a namespace
	 */
	public String leaseNamespace() {
		return this.leaseNamespace;
	}

	/**
	 * The holder of the shard's Lease, if there is one.
	 * @return the holder at this moment, empty while the shard stands by for a slot
	 */
	public Optional<LeaseHolder> heldLease() {
		return Optional.ofNullable(this.group.lease());
	}

	/**
	 * The connection of the shard.
	 * @return the client as it was given, whose writes pass no fence: write through
	 * {@link #caches()}
	 */
	public KubernetesClient client() {
		return this.client;
	}

	/**
	 * How the shard stands.
	 * @return the phase
	 */
	public RuntimePhase phase() {
		return this.group.phase();
	}

	/**
	 * Why the shard gave up.
	 * @return the reason, or {@code null} unless the phase is {@link RuntimePhase#FAILED}
	 */
	public @Nullable RuntimeException failure() {
		return this.group.failure();
	}

	/**
	 * The holder of the shard's Lease at this moment.
	 * @return the holder, for its status
	 * @throws IllegalStateException while a shard with slots has none, see
	 * {@link #heldLease()}
	 */
	public LeaseHolder lease() {
		LeaseHolder holder = this.group.lease();
		if (holder == null) {
			throw new IllegalStateException(
					"This process stands by for a slot of ring %s and has no Lease now".formatted(this.ring));
		}
		return holder;
	}

	/**
	 * What leaves the shard and comes to it.
	 * @return the record
	 */
	public Moves moves() {
		return this.moves;
	}

	/**
	 * The objects of the ring that the shard owns.
	 * @return looks into the caches
	 */
	public OwnedObjects owned() {
		return this.owned;
	}

	/**
	 * Notes which code of the user runs, for those who call more of it in the name of the
	 * shard.
	 * @return the register
	 */
	public UserCode userCode() {
		return this.userCode;
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
	 * if it does not answer. To be called before the shard joins its ring.
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

	/**
	 * Starts the shard. Returns at once: caches fill, then the Lease is acquired, then
	 * reconciles begin.
	 */
	public void start() {
		start(() -> {
		});
	}

	/**
	 * Starts the shard, and looks on the way whether it may join its ring: caches fill
	 * meanwhile, but the Lease is not written before.
	 * @param look looks, on the calling thread; if it throws, the shard is closed and the
	 * failure passed on
	 */
	public void start(Runnable look) {
		requireStopped();
		this.group.start(look);
	}

	/**
	 * Stops the shard for good: begins no further reconcile, waits for those that run,
	 * and gives the Lease back. If one does not end in time, the Lease is left to run out
	 * by itself.
	 */
	@Override
	public void close() {
		this.group.stop();
	}

	private void requireStopped() {
		if (this.group.phase() != RuntimePhase.STOPPED) {
			throw new IllegalStateException(
					"Shard %s of ring %s was started before".formatted(this.shard.get(), this.ring));
		}
	}

}
