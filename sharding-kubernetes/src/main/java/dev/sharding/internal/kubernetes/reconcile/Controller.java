package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.ChangeHandler;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.controller.Trigger;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.cache.Writer;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.reconcile.queue.ControllerStatus;
import dev.sharding.internal.kubernetes.reconcile.queue.Priority;
import dev.sharding.internal.kubernetes.reconcile.queue.WorkQueue;
import dev.sharding.protocol.Responsibility;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * A running controller: turns events into keys, and keys into reconciles. It begins
 * suspended; {@link #resume()} and {@link #suspend()} are called by whoever holds the
 * Lease, {@link #enqueue} by anybody. Safe for use by many threads.
 *
 * @param <T> the main resource
 */
public final class Controller<T extends HasMetadata> {

	private static final Comparator<HasMetadata> NEWEST_FIRST = Comparator
		.comparing((HasMetadata object) -> object.getMetadata().getResourceVersion(), ResourceVersions.OLDEST_FIRST)
		.reversed();

	private final ControllerSpec<T> spec;

	private final ControllerContext<T> context;

	private final WorkQueue<ObjectKey> queue;

	private final ReconcileHandler<T> work;

	private final @Nullable TakeOver takeOver;

	private final UserEvents<T> userEvents;

	private final List<Worker> workers = new ArrayList<>();

	private final Unanswered unanswered = new Unanswered();

	private volatile Function<ObjectKey, DrainTurn> drainTurn = (key) -> DrainTurn.OURS;

	/**
	 * Creates a controller. It does nothing until it is started.
	 * @param spec what it is made of
	 * @param context what it gets from the process around it
	 */
	public Controller(ControllerSpec<T> spec, ControllerContext<T> context) {
		this.spec = spec;
		this.context = context;
		ControllerMetrics metrics = new ControllerMetrics(context.meters(), spec.name());
		this.queue = new WorkQueue<>(spec.backoff(), context.nanos(), metrics);
		HandOver handOver = context.handOver();
		this.takeOver = (handOver != null && handOver.refreshOwned() != null)
				? new TakeOver(new SharedRefresh(handOver.refreshOwned(), context.nanos()),
						(key, first) -> handOver.pasts().isNew(spec.type(), key, first))
				: null;
		this.work = new ReconcileHandler<>(spec, context, metrics, this.takeOver, this::enqueue);
		this.userEvents = new UserEvents<>(spec, context.userCode(), (key) -> context.store().get().get(key),
				this::enqueueAll, (found) -> add(found.key(), found.priority(), found.reaches()));
		ControllerMetrics.registerGauges(context.meters(), spec, this.queue);
	}

	/**
	 * What the controller is made of.
	 * @return the specification
	 */
	public ControllerSpec<T> spec() {
		return this.spec;
	}

	/**
	 * Has an object reconciled. Ignored while the controller is suspended (every object
	 * is reconciled when it resumes), and for an object that is not ours.
	 * @param key the object
	 */
	public void enqueue(ObjectKey key) {
		this.queue.add(Objects.requireNonNull(key, "key"), Priority.NORMAL);
	}

	/**
	 * Has an object reconciled later, unless it is reconciled for another reason before.
	 * @param key the object
	 * @param delay how long to wait
	 */
	public void enqueueAfter(ObjectKey key, Duration delay) {
		this.queue.addAfter(Objects.requireNonNull(key, "key"), Priority.NORMAL, delay);
	}

	/**
	 * Has every selected object of ours reconciled, at low priority: first those that
	 * were written last, as nobody may have seen that yet. The filter is not asked:
	 * nobody knows which changes were missed. Nor is the API server, by whom this could
	 * fail: who reconciles an object looks at what this process has written.
	 */
	public void enqueueAll() {
		if (!this.queue.isRunning()) {
			return;
		}
		StoreView<T> known = this.context.store().get().plain();
		known.undecodable().forEach((metadata) -> onUndecodable(metadata, Priority.LOW));
		List<T> ours = new ArrayList<>(known.list());
		ours.removeIf((object) -> !isToReconcile(object));
		ours.sort(NEWEST_FIRST);
		this.userEvents.lookAt(ours);
	}

	/**
	 * How many objects wait for their turn.
	 * @return the number, without those that wait for a time
	 */
	public int queued() {
		return (int) this.queue.read((state) -> {
			int sum = 0;
			for (Priority priority : Priority.values()) {
				sum += state.waiting(priority);
			}
			return sum;
		});
	}

	/**
	 * How many objects are being worked on.
	 * @return the number
	 */
	public int active() {
		return (int) this.queue.read((state) -> state.active());
	}

	/**
	 * What there is to do.
	 * @return a snapshot
	 */
	public ControllerStatus status() {
		return this.queue.status();
	}

	/**
	 * The handler to be added to the informer of the main resource.
	 * @return the handler
	 */
	public ChangeHandler<T> mainHandler() {
		return this::onMainEvent;
	}

	/**
	 * The handler to be added to the informer of another resource.
	 * @param <S> the other resource
	 * @param watch how its objects concern ours
	 * @param known finds the last state of an object that fitted its class, or
	 * {@code null}
	 * @return the handler
	 */
	public <S extends HasMetadata> ChangeHandler<S> handler(SecondaryWatch<S> watch,
			Function<ObjectKey, @Nullable S> known) {
		return (event, reaches) -> {
			if (this.queue.isRunning()) {
				this.userEvents.happened(watch, event, reaches, known);
			}
		};
	}

	/**
	 * Hears of what comes, to be added to the informer of the main resource as a
	 * forerunner, if the controller belongs to a shard.
	 * @return the forerunner
	 */
	public InformerHandler<T> arrivals() {
		TakeOver hears = this.takeOver;
		return (event) -> {
			if (hears != null) {
				hears.comes(event);
			}
		};
	}

	/**
	 * The observer to be added to the informer of the main resource, if the controller
	 * belongs to a shard.
	 * @return the observer
	 */
	public InformerHandler<T> moves() {
		return this::noteMove;
	}

	/**
	 * All caches are about to be made consistent with this moment, so what is there now
	 * needs no further look before its first reconcile.
	 */
	public void forgetArrivals() {
		if (this.takeOver != null) {
			this.takeOver.forget();
		}
		if (this.context.handOver() != null) {
			this.context.handOver().moves().begin();
		}
	}

	/**
	 * Makes controllers of the same main resource acknowledge drains together: the first
	 * one does it, when all of them have seen the drain and none works on the object.
	 * @param all the controllers of that resource, this one among them, in the same order
	 * for each
	 */
	public void drainTogetherWith(List<Controller<?>> all) {
		List<Controller<?>> others = new ArrayList<>(all);
		boolean first = others.indexOf(this) == 0;
		others.remove(this);
		this.drainTurn = (key) -> !first ? DrainTurn.OTHERS
				: others.stream().allMatch((other) -> other.letsGoOf(key)) ? DrainTurn.OURS : DrainTurn.LATER;
	}

	/*
	 * In this order: who has seen the drain begins no other reconcile. A controller that
	 * reads the resource as another class has another store, which may be behind.
	 */
	private boolean letsGoOf(ObjectKey key) {
		ObjectMeta seen = this.context.store().get().metadata(key);
		return seen != null && this.context.ownership().of(seen.getLabels()) == Responsibility.ACKNOWLEDGE_DRAIN
				&& !this.queue.isActive(key);
	}

	/** Starts the workers; nothing is reconciled until {@link #resume()}. */
	public void start() {
		for (int i = 0; i < this.spec.concurrency(); i++) {
			start(this::run, false, String.valueOf(i));
		}
		if (this.context.handOver() != null) {
			// However long reconciles take, or wait for their turn to write.
			start(this::release, true, "drains");
		}
	}

	private void start(Worker.Task task, boolean drainsOnly, String suffix) {
		Worker worker = new Worker(this.spec.name(), this.queue, task, drainsOnly, this.unanswered, this.context.mdc());
		this.workers.add(worker);
		Thread thread = this.context.threads().newThread(worker);
		thread.setName(this.spec.name() + "-" + suffix);
		thread.start();
	}

	/** From now on objects are reconciled. The caller enqueues those that are known. */
	public void resume() {
		this.queue.resume();
	}

	/**
	 * From now on no reconcile begins. Those that run are interrupted, all others are
	 * forgotten.
	 */
	public void suspend() {
		this.queue.suspend();
		this.work.forgetVanished();
		interrupt();
	}

	/** From now on no reconcile begins, for good; those that run may end. */
	public void stop() {
		this.queue.close();
		this.userEvents.close();
	}

	/**
	 * Waits until no reconcile runs.
	 * @param patience how long to wait
	 * @return whether none runs
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public boolean awaitIdle(Duration patience) throws InterruptedException {
		return this.queue.awaitIdle(patience);
	}

	/** Interrupts the reconciles that run, and calls off what waits for an answer. */
	public void interrupt() {
		this.workers.forEach(Worker::interrupt);
		this.unanswered.cancel();
	}

	private CompletableFuture<Result> run(ObjectKey key, Trigger trigger) throws Exception {
		return this.context.mayAct().getAsBoolean()
				? new Writer(this, key).call(() -> this.work.run(key, trigger, this::turn))
				: CompletableFuture.completedFuture(ReconcileHandler.LOOK_AGAIN);
	}

	private CompletableFuture<Result> release(ObjectKey key, Trigger trigger) throws Exception {
		return this.context.mayAct().getAsBoolean()
				? new Writer(this, key).call(() -> this.work.release(key, this::turn))
				: CompletableFuture.completedFuture(ReconcileHandler.LOOK_AGAIN);
	}

	/* One that was not taken as a drain must not be one acknowledgement too many. */
	private DrainTurn turn(ObjectKey key) {
		DrainTurn turn = this.drainTurn.apply(key);
		return (turn != DrainTurn.OURS || this.queue.becomesUrgent(key)) ? turn : DrainTurn.LATER;
	}

	private void noteMove(InformerEvent<T> event) {
		HandOver handOver = this.context.handOver();
		if (handOver == null) {
			return;
		}
		GroupResource resource = this.spec.type().groupResource();
		if (event instanceof InformerEvent.Added<T> added) {
			handOver.moves().arrived(resource, ObjectKey.of(added.object()));
		}
		else if (event instanceof InformerEvent.Removed<T> removed) {
			handOver.moves().settled(resource, ObjectKey.of(removed.last()), true);
			if (this.takeOver != null) {
				this.takeOver.left(ObjectKey.of(removed.last()));
			}
		}
	}

	private void onMainEvent(InformerEvent<T> event, Predicate<Object> reaches) {
		if (event instanceof InformerEvent.Added<T> added) {
			onChange(null, added.object(), added.initial() ? Priority.LOW : Priority.NORMAL, reaches);
		}
		else if (event instanceof InformerEvent.Updated<T> updated) {
			onChange(updated.before(), updated.after(), Priority.NORMAL, reaches);
		}
		else if (event instanceof InformerEvent.Undecodable<T> undecodable) {
			onUndecodable(undecodable.metadata(), Priority.NORMAL);
		}
		else if (event instanceof InformerEvent.Removed<T> removed) {
			ObjectKey key = ObjectKey.of(removed.last());
			if (this.work.noteVanished(key, removed.last())) {
				if (!this.queue.add(key, Priority.LOW)) {
					// Suspended: nobody would ever ask why it is gone.
					this.work.forgetVanished(key);
				}
			}
			else {
				this.queue.drop(key);
			}
		}
	}

	/*
	 * Its reconcile fails and says why; its drain does not need more than its metadata.
	 */
	private void onUndecodable(ObjectMeta metadata, Priority priority) {
		Responsibility responsibility = this.context.ownership().of(metadata.getLabels());
		noteDrain(ObjectKey.of(metadata), responsibility);
		if (responsibility != Responsibility.NOT_MINE) {
			this.queue.add(ObjectKey.of(metadata),
					(responsibility == Responsibility.ACKNOWLEDGE_DRAIN) ? Priority.HIGH : priority);
		}
	}

	/*
	 * Nobody is asked what an event means that comes before the term: its beginning
	 * enqueues all that is in the store by then.
	 */
	private void onChange(@Nullable T before, T after, Priority priority, Predicate<Object> reaches) {
		if (isToReconcile(after) && this.queue.isRunning()) {
			// Its drain took the place of whatever was to be done for it.
			boolean asNew = before == null || responsibility(before) != Responsibility.RECONCILE;
			this.userEvents.changed(asNew ? null : before, after, priority, reaches);
		}
	}

	private Responsibility responsibility(T object) {
		return this.context.ownership().of(object.getMetadata().getLabels());
	}

	/** Drains wait for no code of the user. */
	private boolean isToReconcile(T object) {
		Responsibility responsibility = responsibility(object);
		noteDrain(ObjectKey.of(object), responsibility);
		if (responsibility == Responsibility.ACKNOWLEDGE_DRAIN) {
			this.queue.add(ObjectKey.of(object), Priority.HIGH);
		}
		return responsibility == Responsibility.RECONCILE;
	}

	private void noteDrain(ObjectKey key, Responsibility responsibility) {
		HandOver handOver = this.context.handOver();
		if (handOver != null && responsibility == Responsibility.ACKNOWLEDGE_DRAIN) {
			handOver.moves().drainSeen(this.spec.type().groupResource(), key);
		}
		else if (handOver != null) {
			handOver.moves().settled(this.spec.type().groupResource(), key, false);
		}
	}

	/** What an object's own reconcile did is no reason to reconcile it. */
	private void add(ObjectKey key, Priority priority, Predicate<Object> reaches) {
		if (reaches.test(new Writer(this, key))) {
			this.queue.add(key, priority);
		}
	}

}
