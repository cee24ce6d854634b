package dev.sharding.internal.kubernetes.cache;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.ChangeHandler;
import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.kubernetes.cache.check.InconsistencyDetector;
import dev.sharding.internal.kubernetes.cache.check.InconsistencyListener;
import dev.sharding.internal.kubernetes.cache.check.InformerKey;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadSampler;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.read.BarrierNotPossibleException;
import dev.sharding.internal.kubernetes.cache.read.ControllerOwner;
import dev.sharding.internal.kubernetes.cache.read.FirstList;
import dev.sharding.internal.kubernetes.cache.read.IncomparableVersionsException;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.protocol.Responsibility;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * The caches of a process and the informers below them: one informer for each resource
 * and scope. What is sharded is known when {@link #start()} is called; caches and indexes
 * may be asked for before. Safe for use by many threads.
 */
public final class InformerCaches implements ResourceCaches, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(InformerCaches.class);

	private static final long TICK_MILLIS = 1_000;

	private final KubernetesClient client;

	/** Whose the stores are that are made now. */
	private volatile CacheScope scope;

	private final ObjectCopier copier;

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, (task) -> {
		Thread thread = new Thread(task, "caches");
		thread.setDaemon(true);
		return thread;
	}, new ThreadPoolExecutor.DiscardPolicy());

	private final CacheTicks ticks = new CacheTicks(
			(task) -> this.timer.schedule(task, TICK_MILLIS, TimeUnit.MILLISECONDS), this::tick, this::isAtRest);

	private final Map<ResourceType<?>, InformerCache<?>> caches = new ConcurrentHashMap<>();

	private final Set<ResourceType<?>> main = new LinkedHashSet<>();

	private final Set<ResourceType<?>> sharded = new LinkedHashSet<>();

	private final Set<ResourceType<?>> needed = new LinkedHashSet<>();

	private final Map<InformerKey, OverlaidStore<?>> stores = new LinkedHashMap<>();

	private final InformerFactory stocks;

	private final CacheFactory maker;

	private final InconsistencyDetector detector;

	private final WatermarkAges ages;

	private final CacheMeters cacheMeters;

	private @Nullable UserCode userCode;

	private boolean started;

	private boolean closed;

	/** Whether the informers of what belongs to the shard have started. */
	private boolean filling;

	/** Whether the name of the shard changes. */
	private final boolean renamed;

	/** Whether readers are shown what belongs to the shard. */
	private volatile boolean shown = true;

	/** Changes whenever others take the place of the stores that are shown. */
	private volatile long generation;

	/**
	 * Creates caches.
	 * @param client gives connections and credentials; not closed with the caches
	 * @param requests sends requests over {@code client}
	 * @param scope what the caches cover
	 * @param copier copies what is handed out
	 * @param clock tells since when an informer has been failing
	 * @param nanos the monotonic clock
	 */
	public InformerCaches(KubernetesClient client, ApiRequests requests, CacheScope scope, ObjectCopier copier,
			InstantSource clock, LongSupplier nanos) {
		this(client, requests, scope, copier, clock, nanos, ReadOptions.DEFAULTS, new CompositeMeterRegistry());
	}

	/**
	 * Creates caches that answer consistent reads in their own way.
	 * @param client gives connections and credentials; not closed with the caches
	 * @param requests sends requests over {@code client}, or to another API server
	 * @param scope what the caches cover
	 * @param copier copies what is handed out
	 * @param clock tells since when an informer has been failing
	 * @param nanos the monotonic clock
	 * @param reads how consistent reads are answered
	 * @param meters where to count them
	 */
	public InformerCaches(KubernetesClient client, ApiRequests requests, CacheScope scope, ObjectCopier copier,
			InstantSource clock, LongSupplier nanos, ReadOptions reads, MeterRegistry meters) {
		this.client = client;
		this.scope = scope;
		this.renamed = scope.isNameless();
		this.copier = copier;
		this.detector = new InconsistencyDetector(reads, meters, nanos);
		this.maker = new CacheFactory(client, requests, () -> this.scope, copier, nanos, reads,
				new ReadSampler(reads.checkReads(), this.detector), meters);
		this.ages = new WatermarkAges(meters, scope.ring(), nanos);
		this.cacheMeters = new CacheMeters(meters, scope.ring());
		this.stocks = new InformerFactory(client, requests, () -> this.scope, clock, nanos);
	}

	/**
	 * Declares a main resource of the ring: only what the shard owns is cached, and what
	 * its objects control is stamped with the shard's label.
	 * @param type the resource
	 * @throws BarrierNotPossibleException if its strategy is {@link ReadStrategy#BARRIER}
	 */
	public synchronized void declareMain(ResourceType<?> type) {
		requireNoMarker(type);
		this.main.add(type);
		declareSharded(type);
	}

	/**
	 * Refuses what would make a controller reconcile markers of consistent reads.
	 * @param main the main resource of a controller
	 * @throws BarrierNotPossibleException if its strategy is {@link ReadStrategy#BARRIER}
	 */
	public void requireNoMarker(ResourceType<?> main) {
		this.maker.strategies().requireNoMarker(main);
	}

	/**
	 * Declares a resource of the ring: only what belongs to the shard is cached.
	 * @param type the resource
	 */
	public synchronized void declareSharded(ResourceType<?> type) {
		if (this.started && !this.sharded.contains(type)) {
			throw new IllegalStateException("'%s' must be declared before the caches start".formatted(type));
		}
		this.sharded.add(type);
	}

	/**
	 * Declares a resource outside any ring without which the controllers cannot work. In
	 * a ring, each of its resources is one.
	 * @param type the resource
	 */
	public synchronized void declareNeeded(ResourceType<?> type) {
		this.needed.add(type);
	}

	@Override
	@SuppressWarnings("unchecked")
	public <T extends HasMetadata> ResourceCache<T> of(ResourceType<T> type) {
		ResourceCache<T> cache = (ResourceCache<T>) this.caches.computeIfAbsent(type, this::newCache);
		synchronized (this) {
			if (this.started && !(isSharded(type) && this.scope.isNameless())) {
				informer(type, isSharded(type));
			}
		}
		return cache;
	}

	@Override
	public synchronized <T extends HasMetadata> void index(ResourceType<T> type, String name,
			Function<T, Collection<String>> values) {
		if (this.stores.containsKey(new InformerKey(type, isSharded(type)))) {
			throw new IllegalStateException(
					"Index '%s' of %s must be declared before the informer starts".formatted(name, type));
		}
		UserCode register = this.userCode;
		this.stocks.index(type, name, (register == null) ? values : (object) -> {
			try (UserCode.Call call = register.begin(type.toString(), "index " + name, ObjectKey.of(object))) {
				return values.apply(object);
			}
		});
	}

	/**
	 * Has a register note how long index functions take that are added from now on.
	 * @param register the register
	 */
	public synchronized void noteUserCode(UserCode register) {
		this.userCode = register;
	}

	/**
	 * The informer of a resource; it is made when it is first asked for, and started with
	 * the others or, when they already run, at once.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @param onlyOurs whether it follows only what carries the shard's label
	 * @return the informer
	 */
	public <T extends HasMetadata> Informer<T> informer(ResourceType<T> type, boolean onlyOurs) {
		return stock(type, onlyOurs).informer();
	}

	@SuppressWarnings("unchecked")
	private synchronized <T extends HasMetadata> OverlaidStore<T> stock(ResourceType<T> type, boolean onlyOurs) {
		InformerKey key = new InformerKey(type, onlyOurs);
		OverlaidStore<?> store = this.stores.get(key);
		if (store == null) {
			if (onlyOurs && this.scope.isNameless()) {
				throw new IllegalStateException("Nobody knows yet which %s belong to the shard".formatted(type));
			}
			store = this.stocks.make(type, onlyOurs);
			this.stores.put(key, store);
			watch(key, store);
			if (this.started && !this.closed && (!onlyOurs || this.filling)) {
				logger.info("Caching a resource that was not declared resource={} sharded={}", type, onlyOurs);
				store.informer().start();
				this.ticks.wake();
			}
		}
		return (OverlaidStore<T>) store;
	}

	private <T extends HasMetadata> void watch(InformerKey key, OverlaidStore<T> store) {
		store.overlay().whenBusy(this.ticks::wake);
		store.informer().addHandler((event) -> this.ages.moved(key, store));
	}

	/**
	 * Adds a handler to the informer of a resource. Own writes of a {@link Writer} do not
	 * reach it.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @param onlyOurs whether it hears only of what carries the shard's label
	 * @param handler the handler
	 */
	public synchronized <T extends HasMetadata> void addHandler(ResourceType<T> type, boolean onlyOurs,
			ChangeHandler<T> handler) {
		stock(type, onlyOurs).overlay().addHandler(handler);
	}

	/**
	 * Adds a listener that hears of objects that an answer to this process shows not to
	 * carry the shard's label, sooner perhaps than the informer.
	 * @param <T> the class of its objects
	 * @param type a resource of the ring
	 * @param listener called on any thread, quick
	 */
	public synchronized <T extends HasMetadata> void addLeftListener(ResourceType<T> type, Consumer<T> listener) {
		stock(type, true).overlay().addLeftListener(listener);
	}

	/**
	 * The store below a cache, with the own writes in it.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @return finds the store; fails as long as the caches have not started
	 */
	public <T extends HasMetadata> Supplier<StoreView<T>> store(ResourceType<T> type) {
		return lookup(type)::get;
	}

	/**
	 * The store below a cache as the watch fills it: nobody is asked about own writes.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @return the store
	 * @throws IllegalStateException as long as the caches have not started
	 */
	public <T extends HasMetadata> StoreView<T> plainStore(ResourceType<T> type) {
		return lookup(type).get().plain();
	}

	/**
	 * An object of a resource, read as whatever class, without own writes.
	 * @param resource the resource
	 * @param key the object
	 * @return the object as an informer has it, or {@code null} if none does
	 */
	public synchronized @Nullable HasMetadata find(GroupResource resource, ObjectKey key) {
		for (Map.Entry<InformerKey, OverlaidStore<?>> entry : this.stores.entrySet()) {
			HasMetadata found = entry.getKey().type().groupResource().equals(resource)
					? entry.getValue().plain().get(key) : null;
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	private <T extends HasMetadata> StoreLookup<T> lookup(ResourceType<T> type) {
		return new StoreLookup<>(type, new Stores());
	}

	/**
	 * Looks whether the API server can do what consistent reads need, for at most some
	 * seconds; says in the log what somebody should know. To be called before anybody
	 * reads.
	 * @throws IncomparableVersionsException if {@link ReadOptions} want consistent reads
	 * from memory of a resource whose versions have no order
	 */
	public void checkReads() {
		Set<ResourceType<?>> types = new LinkedHashSet<>(this.caches.keySet());
		synchronized (this) {
			types.addAll(this.sharded);
		}
		this.maker.safeguard().check(types);
	}

	/**
	 * The strategies of consistent reads, which can be overridden.
	 * @return what is in force, also later
	 */
	public ReadStrategies readStrategies() {
		return this.maker.strategies();
	}

	/** Makes the informers of all caches that were asked for, and starts them. */
	public synchronized void start() {
		boolean nameless = this.scope.isNameless();
		this.caches.keySet()
			.stream()
			.filter((type) -> !(nameless && isSharded(type)))
			.forEach((type) -> informer(type, isSharded(type)));
		this.started = true;
		this.shown = !nameless;
		this.filling = !nameless;
		this.stores.values().forEach((store) -> store.informer().start());
		inTick(() -> this.cacheMeters.bind(this.stores));
		this.ticks.start();
	}

	/**
	 * Waits for the first lists.
	 * @return completes when every informer has its store full and its handlers served
	 */
	public CompletableFuture<Void> synced() {
		return new CachedInformers(stores()).synced((key) -> true);
	}

	/**
	 * Waits for the first lists of what the controllers cannot work without.
	 * @return completes when those informers have their stores full and their handlers
	 * served
	 */
	public CompletableFuture<Void> neededSynced() {
		return new CachedInformers(stores()).synced(this::isNeeded);
	}

	/**
	 * Gives the shard a name, or another one: what belonged to the former one is
	 * forgotten, and nobody is shown what belongs to it before {@link #show()}. Informers
	 * that are asked for from now on are of this name, and {@link #fill()} starts them.
	 * @param shard the name of the shard
	 */
	public void rename(String shard) {
		List<Informer<?>> left = new ArrayList<>();
		synchronized (this) {
			hide();
			this.filling = false;
			this.stores.entrySet().removeIf((entry) -> {
				boolean leaves = entry.getKey().sharded();
				if (leaves) {
					left.add(entry.getValue().informer());
				}
				return leaves;
			});
			this.caches.values().forEach(InformerCache::forgetStores);
			this.scope = this.scope.withShard(shard);
			if (this.started) {
				// The meters keep no store that is gone.
				this.ticks.wake();
			}
		}
		left.forEach(Informer::close);
	}

	/** Makes the informers of what belongs to the shard, and starts them. */
	public synchronized void fill() {
		this.caches.keySet().stream().filter(this::isSharded).forEach((type) -> informer(type, true));
		this.filling = true;
		if (!this.closed) {
			this.stores.forEach((key, store) -> {
				if (key.sharded()) {
					store.informer().start();
				}
			});
			this.ticks.wake();
		}
	}

	/** From now on readers are shown what belongs to the shard. */
	public synchronized void show() {
		this.shown = true;
		this.generation++;
	}

	/** From now on the reads of what belongs to the shard fail. */
	public synchronized void hide() {
		this.shown = false;
		this.generation++;
	}

	/**
	 * Looks at what belongs to the shard, as the informers have it.
	 * @param looking gets the metadata of each object, once for each resource
	 */
	public void forEachOfOurs(BiConsumer<ResourceType<?>, ObjectMeta> looking) {
		Set<GroupResource> seen = new HashSet<>();
		stores().forEach((key, store) -> {
			if (key.sharded() && seen.add(key.type().groupResource())) {
				store.plain().list().forEach((object) -> looking.accept(key.type(), object.getMetadata()));
				store.plain().undecodable().forEach((metadata) -> looking.accept(key.type(), metadata));
			}
		});
	}

	/**
	 * The resources of which only what belongs to the shard is cached.
	 * @return a copy
	 */
	public synchronized Set<ResourceType<?>> shardedTypes() {
		return Set.copyOf(this.sharded);
	}

	/**
	 * Whose objects are in the caches, or will be.
	 * @return the name of the shard, empty if it has none
	 */
	public String shard() {
		return this.scope.shard();
	}

	/**
	 * Makes the caches consistent.
	 * @return completes when every store that the controllers need holds a state that is
	 * not older than this call, and its handlers have seen it; so do the others as far as
	 * the API server lets them within half a minute
	 */
	public CompletableFuture<Void> refresh() {
		return new CachedInformers(stores()).refresh(this::isNeeded);
	}

	/**
	 * How the informers fare.
	 * @return the status by a name for each, such as {@code secrets.v1}
	 */
	public Map<String, InformerStatus> statuses() {
		return new CachedInformers(stores()).statuses((key) -> true);
	}

	/**
	 * How those informers fare that the controllers cannot work without: those of the
	 * main and controlled resources of a ring, or outside any of what was declared so.
	 * @return the status by a name for each, such as {@code secrets.v1}
	 */
	public Map<String, InformerStatus> neededStatuses() {
		return new CachedInformers(stores()).statuses(this::isNeeded);
	}

	private synchronized boolean isNeeded(InformerKey key) {
		return key.sharded() || this.needed.contains(key.type());
	}

	/**
	 * Takes the metadata that the API server returned for an object of which nothing but
	 * the metadata can have changed; nothing where no more than that is known of it.
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @param before the object before
	 * @param answer a PartialObjectMetadata
	 */
	public <T extends HasMetadata> void handIn(ResourceType<T> type, HasMetadata before, ApiResponse answer) {
		if (!type.javaType().isInstance(before)) {
			return;
		}
		ObjectMeta metadata = this.client.getKubernetesSerialization()
			.unmarshal(answer.stream(), PartialObjectMetadata.class)
			.getMetadata();
		T object = this.copier.copy(type.javaType().cast(before));
		object.setMetadata(metadata);
		of(type).handIn(object);
	}

	/**
	 * What is held of own writes; nothing at rest.
	 * @return the status by a name for each, such as {@code secrets.v1}
	 */
	public Map<String, OverlayStatus> overlayStatuses() {
		Map<String, OverlayStatus> statuses = new LinkedHashMap<>();
		synchronized (this) {
			this.stores.forEach((key, store) -> statuses.put(key.toString(), store.overlay().status()));
		}
		return statuses;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		List<Informer<?>> all;
		synchronized (this) {
			this.closed = true;
			all = informers();
		}
		all.forEach(Informer::close);
	}

	/**
	 * Adds a listener.
	 * @param listener hears when a cache was found to differ from the API server, if the
	 * caches are compared at all, see {@link ReadOptions#checkPeriod()} and
	 * {@link ReadOptions#checkReads()}
	 */
	public void addListener(InconsistencyListener listener) {
		this.detector.addListener(listener);
	}

	private void tick() {
		Map<InformerKey, OverlaidStore<?>> all = stores();
		all.values().forEach((store) -> inTick(store.overlay()::tick));
		// Of those that were made meanwhile.
		inTick(() -> this.cacheMeters.bind(all));
		inTick(() -> this.ages.bind(all));
		inTick(() -> this.detector.tick(all));
	}

	private boolean isAtRest() {
		Map<InformerKey, OverlaidStore<?>> all = stores();
		return !this.detector.isOn() && this.cacheMeters.areBound(all) && this.ages.areBound(all)
				&& all.values().stream().allMatch((store) -> store.overlay().isAtRest());
	}

	private static void inTick(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("Failed to look after the caches, trying again: reason=\"{}\"", ex.toString());
		}
	}

	private synchronized Map<InformerKey, OverlaidStore<?>> stores() {
		return new LinkedHashMap<>(this.stores);
	}

	private synchronized List<Informer<?>> informers() {
		List<Informer<?>> all = new ArrayList<>();
		this.stores.values().forEach((store) -> all.add(store.informer()));
		return all;
	}

	private synchronized boolean isSharded(ResourceType<?> type) {
		return this.sharded.contains(type);
	}

	private <T extends HasMetadata> InformerCache<T> newCache(ResourceType<T> type) {
		return this.maker.make(type, lookup(type), (object) -> isSharded(type) && isControlledByOurs(object));
	}

	private final class Stores implements StoreLookup.Stores {

		@Override
		public long generation() {
			return InformerCaches.this.generation;
		}

		@Override
		public @Nullable OverlaidStore<?> find(ResourceType<?> type) {
			synchronized (InformerCaches.this) {
				boolean ours = InformerCaches.this.sharded.contains(type);
				return (ours && !InformerCaches.this.shown) ? null
						: InformerCaches.this.stores.get(new InformerKey(type, ours));
			}
		}

		@Override
		public void requireTerm(ResourceType<?> type) {
			if (InformerCaches.this.renamed && ClaimScope.isOfEndedTerm()) {
				throw FirstList.termEnded(type);
			}
		}

		@Override
		public CacheNotFilledException missing(ResourceType<?> type) {
			boolean standsBy;
			synchronized (InformerCaches.this) {
				standsBy = InformerCaches.this.started && !InformerCaches.this.shown;
			}
			return standsBy ? FirstList.standby(type) : FirstList.notStarted(type);
		}

	}

	private boolean isControlledByOurs(HasMetadata object) {
		for (ResourceType<?> type : mainTypes()) {
			ObjectKey owner = ControllerOwner.key(object, type);
			HasMetadata found = (owner != null) ? this.maker.filled(lookup(type).get(), owner).get(owner) : null;
			if (found != null) {
				return Responsibility.of(found.getMetadata().getLabels(), this.scope.ring(),
						this.scope.shard()) != Responsibility.NOT_MINE;
			}
		}
		return false;
	}

	private synchronized List<ResourceType<?>> mainTypes() {
		return List.copyOf(this.main);
	}

}
