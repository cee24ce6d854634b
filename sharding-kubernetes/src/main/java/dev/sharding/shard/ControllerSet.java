package dev.sharding.shard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InformerHandler;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.kubernetes.cache.InformerCaches;
import dev.sharding.internal.kubernetes.fence.Claims;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;

/**
 * The controllers of a group as one: wired to their informers, resumed, suspended and
 * stopped together.
 */
final class ControllerSet {

	private static final double RESYNC_JITTER = 0.1;

	/** As good as never, and no sum with it overflows. */
	private static final Duration LONGEST_RESYNC = Duration.ofDays(36_500);

	private final @Nullable Claims claims;

	private final LongSupplier nanos;

	private final UserCode userCode;

	private final List<Controller<?>> controllers = new CopyOnWriteArrayList<>();

	private final List<Following<?>> followings = new CopyOnWriteArrayList<>();

	private final List<WorkRunner> works = new CopyOnWriteArrayList<>();

	private @Nullable ElectedLeader leader;

	private final Map<Controller<?>, Long> nextResync = new LinkedHashMap<>();

	/**
	 * Creates an empty set.
	 * @param claims the claims of the shard, or {@code null} outside a ring
	 * @param nanos the monotonic clock
	 * @param userCode notes how long those take who follow a resource
	 */
	ControllerSet(@Nullable Claims claims, LongSupplier nanos, UserCode userCode) {
		this.userCode = userCode;
		this.claims = claims;
		this.nanos = nanos;
	}

	List<Controller<?>> all() {
		return List.copyOf(this.controllers);
	}

	void add(Controller<?> controller) {
		boolean taken = this.controllers.stream()
			.anyMatch((other) -> other.spec().name().equals(controller.spec().name()));
		if (taken) {
			throw new IllegalArgumentException(
					"'name' of a controller must be unique (is '%s' twice)".formatted(controller.spec().name()));
		}
		this.controllers.add(controller);
	}

	void add(ShardWork work) {
		this.works.add(new WorkRunner(work, this.nanos));
	}

	/** Has a leader election follow the terms. */
	void elect(ElectedLeader elected) {
		this.leader = elected;
	}

	boolean hasWork() {
		return !this.works.isEmpty();
	}

	/** Whether all work has begun in the present term. */
	boolean hasBegunWork() {
		return this.works.stream().allMatch(WorkRunner::hasBegun);
	}

	/** Why some work could not begin or end, {@code null} if all could. */
	@Nullable String workProblem() {
		return this.works.stream().map(WorkRunner::problem).filter(Objects::nonNull).findFirst().orElse(null);
	}

	/** Has somebody hear of a resource of the ring without a controller. */
	void follow(Following<?> following) {
		this.followings.add(following);
	}

	/** Has every controller hear of what concerns it. */
	void connect(InformerCaches caches) {
		connectWhole(caches);
		connectOurs(caches);
	}

	/** Has them hear of what is followed whosever it is. */
	void connectWhole(InformerCaches caches) {
		for (Controller<?> controller : this.controllers) {
			if (this.claims == null) {
				connectMain(controller, caches, new HashSet<>());
			}
			controller.spec()
				.watches()
				.stream()
				.filter((watch) -> !isOurs(watch))
				.forEach((watch) -> connect(controller, watch, caches));
		}
	}

	/**
	 * Has them hear of what belongs to the shard; anew whenever that has another name.
	 */
	void connectOurs(InformerCaches caches) {
		if (this.claims == null) {
			return;
		}
		this.claims.unfollow();
		Set<Informer<?>> followed = new HashSet<>();
		for (Controller<?> controller : this.controllers) {
			connectMain(controller, caches, followed);
			controller.spec()
				.watches()
				.stream()
				.filter(this::isOurs)
				.forEach((watch) -> connect(controller, watch, caches));
		}
		this.followings.forEach((following) -> connect(following, caches, followed));
	}

	private boolean isOurs(SecondaryWatch<?> watch) {
		return this.claims != null && watch.sharded();
	}

	private <T extends HasMetadata> void connect(Following<T> following, InformerCaches caches,
			Set<Informer<?>> followed) {
		if (following.main()) {
			claim(caches, following.type(), followed);
		}
		caches.addHandler(following.type(), true, (event, reaches) -> {
			if (reaches.test(following)) {
				try (UserCode.Call call = this.userCode.begin(following.events().getClass().getName(), "follower",
						following.type())) {
					following.events().onEvent(event);
				}
			}
		});
	}

	private <T extends HasMetadata> void claim(InformerCaches caches, ResourceType<T> type, Set<Informer<?>> followed) {
		Claims claimed = this.claims;
		Informer<T> informer = caches.informer(type, claimed != null);
		if (claimed != null && followed.add(informer)) {
			informer.addObserver(claimed.follow(type, informer.store()::get, informer.store()::undecodable));
			caches.addLeftListener(type, (object) -> claimed.lost(type.groupResource(), object.getMetadata()));
		}
	}

	private <T extends HasMetadata> void connectMain(Controller<T> controller, InformerCaches caches,
			Set<Informer<?>> followed) {
		Informer<T> informer = caches.informer(controller.spec().type(), this.claims != null);
		informer.addForerunner(controller.arrivals());
		informer.addObserver(controller.moves());
		claim(caches, controller.spec().type(), followed);
		caches.addHandler(controller.spec().type(), this.claims != null, controller.mainHandler());
	}

	private <S extends HasMetadata> void connect(Controller<?> controller, SecondaryWatch<S> watch,
			InformerCaches caches) {
		boolean onlyOurs = isOurs(watch);
		Informer<S> informer = caches.informer(watch.type(), onlyOurs);
		caches.addHandler(watch.type(), onlyOurs, controller.handler(watch, informer.store()::get));
	}

	void start() {
		// Whatever class they read its objects as: these are the same objects.
		Map<GroupResource, List<Controller<?>>> byResource = new LinkedHashMap<>();
		for (Controller<?> controller : this.controllers) {
			byResource.computeIfAbsent(controller.spec().type().groupResource(), (resource) -> new ArrayList<>())
				.add(controller);
		}
		byResource.values().forEach((all) -> all.forEach((controller) -> controller.drainTogetherWith(all)));
		this.controllers.forEach(Controller::start);
	}

	/** All caches are about to be made consistent with this moment. */
	void forgetArrivals() {
		this.controllers.forEach(Controller::forgetArrivals);
	}

	void resume() {
		if (this.claims != null) {
			this.claims.open();
		}
		if (this.leader != null) {
			this.leader.open();
		}
		this.controllers.forEach(Controller::resume);
		this.works.forEach(WorkRunner::resume);
	}

	void enqueueAll() {
		for (Controller<?> controller : this.controllers) {
			controller.enqueueAll();
			planResync(controller);
		}
	}

	/**
	 * Enqueues everything of the controllers whose turn has come.
	 * @return after how long the next has its turn, {@code null} if none has ever
	 */
	@Nullable Duration resync() {
		long now = this.nanos.getAsLong();
		for (Controller<?> controller : this.controllers) {
			Long due = this.nextResync.get(controller);
			if (due != null && now - due >= 0) {
				controller.enqueueAll();
				planResync(controller);
			}
		}
		return this.nextResync.values()
			.stream()
			.map((due) -> Duration.ofNanos(due - now))
			.min(Comparator.naturalOrder())
			.orElse(null);
	}

	void suspend() {
		endClaims();
		this.controllers.forEach(Controller::suspend);
		this.works.forEach(WorkRunner::suspend);
	}

	int active() {
		return this.controllers.stream().mapToInt(Controller::active).sum()
				+ (int) this.works.stream().filter(WorkRunner::isActive).count();
	}

	/**
	 * Begins no further reconcile and waits for those that run; interrupts them when the
	 * patience is over.
	 * @return whether all have ended
	 */
	boolean stop(Duration patience, Duration graceAfterInterrupt) throws InterruptedException {
		try {
			if (this.leader != null) {
				this.leader.stop();
			}
			this.controllers.forEach(Controller::stop);
			this.works.forEach(WorkRunner::suspend);
			if (awaitIdle(patience)) {
				return true;
			}
			this.controllers.forEach(Controller::interrupt);
			this.works.forEach(WorkRunner::close);
			return awaitIdle(graceAfterInterrupt);
		}
		finally {
			this.works.forEach(WorkRunner::close);
			endClaims();
		}
	}

	private void endClaims() {
		if (this.claims != null) {
			this.claims.end();
		}
		if (this.leader != null) {
			this.leader.close();
		}
	}

	private boolean awaitIdle(Duration patience) throws InterruptedException {
		long deadline = this.nanos.getAsLong() + patience.toNanos();
		for (Controller<?> controller : this.controllers) {
			if (!controller.awaitIdle(Duration.ofNanos(Math.max(0, deadline - this.nanos.getAsLong())))) {
				return false;
			}
		}
		for (WorkRunner work : this.works) {
			if (!work.awaitEnd(Duration.ofNanos(Math.max(0, deadline - this.nanos.getAsLong())))) {
				return false;
			}
		}
		return true;
	}

	private void planResync(Controller<?> controller) {
		Duration period = controller.spec().resync();
		if (period != null) {
			double stretch = 1 + RESYNC_JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
			long nanos = (period.compareTo(LONGEST_RESYNC) < 0) ? period.toNanos() : LONGEST_RESYNC.toNanos();
			this.nextResync.put(controller, this.nanos.getAsLong() + (long) (nanos * stretch));
		}
	}

	/**
	 * A resource of the ring that somebody hears of without a controller.
	 *
	 * @param <T> the class of its objects
	 * @param type the resource
	 * @param main whether it is a main resource
	 * @param events hears what happens
	 */
	record Following<T extends HasMetadata>(ResourceType<T> type, boolean main, InformerHandler<T> events) {
	}

}
