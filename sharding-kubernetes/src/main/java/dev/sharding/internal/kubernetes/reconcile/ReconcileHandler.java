package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.controller.Cleaner;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.DeletionListener;
import dev.sharding.controller.ReconcileContext;
import dev.sharding.controller.Result;
import dev.sharding.controller.Trigger;
import dev.sharding.internal.kubernetes.fence.Claim;
import dev.sharding.internal.kubernetes.fence.ClaimScope;
import dev.sharding.internal.kubernetes.handover.DrainPauses;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.protocol.Responsibility;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

/**
 * What is done with one key of the work queue (protocol section 6.4): look at the newest
 * state, then forget, acknowledge the drain, clean up or reconcile. The caller sees to it
 * that it is done for one key at a time.
 */
final class ReconcileHandler<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(ReconcileHandler.class);

	/** When to look again at what could not be done now, but soon can. */
	static final Result LOOK_AGAIN = Result.requeueAfter(Duration.ofMillis(20));

	private final ControllerSpec<T> spec;

	private final ControllerContext<T> context;

	private final ControllerMetrics metrics;

	private final @Nullable Finalizers<T> finalizers;

	private final UserFilters<T> filters;

	private final @Nullable TakeOver takeOver;

	private final Consumer<ObjectKey> again;

	/**
	 * Objects that left the scope and of which a listener wants to know whether they are
	 * deleted: of a name the one that was there first comes first.
	 */
	private final Map<ObjectKey, List<T>> vanished = new ConcurrentHashMap<>();

	ReconcileHandler(ControllerSpec<T> spec, ControllerContext<T> context, ControllerMetrics metrics,
			@Nullable TakeOver takeOver, Consumer<ObjectKey> again) {
		this.takeOver = takeOver;
		this.again = again;
		this.spec = spec;
		this.context = context;
		this.filters = new UserFilters<>(spec, context.userCode());
		this.metrics = metrics;
		this.finalizers = (spec.cleanUp() != null) ? new Finalizers<>(context.cache(), spec.cleanUp().finalizer())
				: null;
	}

	/** An object left the scope; whoever subscribed to deletions must ask why. */
	boolean noteVanished(ObjectKey key, T last) {
		if (this.spec.deletionListener() == null) {
			return false;
		}
		this.vanished.merge(key, List.of(last),
				(before, now) -> Stream
					.concat(before.stream().filter((other) -> !isSame(other, uidOf(last))), now.stream())
					.toList());
		return true;
	}

	/** The object is nobody's business here any more. */
	void forgetVanished(ObjectKey key) {
		this.vanished.remove(key);
	}

	void forgetVanished() {
		this.vanished.clear();
	}

	/**
	 * Does what is to be done for {@code key}.
	 * @param key the key
	 * @param trigger why
	 * @param turn tells who acknowledges the drain of the object
	 * @return when to look at it again, done unless its drain has to be answered
	 * @throws Exception if it failed
	 */
	CompletableFuture<Result> run(ObjectKey key, Trigger trigger, Function<ObjectKey, DrainTurn> turn)
			throws Exception {
		ObjectMeta unfit = this.context.store().get().undecodable(key);
		if (unfit != null) {
			return runUndecodable(key, unfit, turn);
		}
		T object = this.context.store().get().get(key);
		try {
			reportDeletion(key, object);
		}
		catch (Exception ex) {
			if (object == null || this.context.ownership()
				.of(object.getMetadata().getLabels()) != Responsibility.ACKNOWLEDGE_DRAIN) {
				throw ex;
			}
			logger.warn("Deletion listener failed, letting go of the next object of its name controller={} key={}",
					this.spec.name(), key, ex);
		}
		if (object == null) {
			return done(Result.done());
		}
		return switch (this.context.ownership().of(object.getMetadata().getLabels())) {
			case NOT_MINE -> done(Result.done());
			case ACKNOWLEDGE_DRAIN -> acknowledge(key, object, turn.apply(key));
			// It was selected when it was queued, and may not be now. A clean-up goes on,
			// or the object would wait for its finalizer for ever.
			case RECONCILE -> (object.getMetadata().getDeletionTimestamp() == null && !this.filters.isSelected(object))
					? done(Result.done()) : done((this.context.handOver() != null)
							? claim(key, object, trigger, this.context.handOver()) : lead(key, object, trigger));
		};
	}

	/**
	 * Lets go of the object if its drain is asked for, and leaves anything else to
	 * {@link #run}, which calls the reconciler.
	 * @param key the key
	 * @param turn tells who acknowledges the drain of the object
	 * @return when to look at it again
	 */
	CompletableFuture<Result> release(ObjectKey key, Function<ObjectKey, DrainTurn> turn) {
		ObjectMeta unfit = this.context.store().get().undecodable(key);
		HasMetadata object = (unfit != null) ? metadataOnly(unfit) : this.context.store().get().get(key);
		if (object == null || this.vanished.containsKey(key)
				|| this.context.ownership().of(object.getMetadata().getLabels()) != Responsibility.ACKNOWLEDGE_DRAIN) {
			this.again.accept(key);
			return done(Result.done());
		}
		return acknowledge(key, object, turn.apply(key));
	}

	private static CompletableFuture<Result> done(Result result) {
		return CompletableFuture.completedFuture(result);
	}

	private Result claim(ObjectKey key, T object, Trigger trigger, HandOver handOver) throws Exception {
		Claim claim = handOver.claims().of(this.spec.type().groupResource(), key);
		if (claim == null) {
			return LOOK_AGAIN;
		}
		// Whatever there is a claim on has arrived, which is noted before.
		if (this.takeOver != null && !this.takeOver.isSettled(key, () -> this.again.accept(key))) {
			return Result.done();
		}
		try (ClaimScope scope = ClaimScope.reconciling(claim)) {
			Result result = observe(key, object, trigger);
			handOver.moves().reconciled(this.spec.type().groupResource(), key);
			return result;
		}
	}

	/* What outlives its term writes nothing in the next one. */
	private Result lead(ObjectKey key, T object, Trigger trigger) throws Exception {
		if (this.context.leading() == null) {
			return observe(key, object, trigger);
		}
		Claim claim = this.context.leading().get();
		if (claim == null) {
			return LOOK_AGAIN;
		}
		try (ClaimScope scope = ClaimScope.leading(claim)) {
			return observe(key, object, trigger);
		}
	}

	/* A trace of its own, around all that the reconcile does. */
	private Result observe(ObjectKey key, T object, Trigger trigger) throws Exception {
		if (this.context.observations().isNoop()) {
			return work(object);
		}
		try (ReconcileObservation observation = new ReconcileObservation(new ReconcileContext(this.spec.name(),
				this.context.mdc().get(), this.spec.type().groupResource(), key, trigger),
				this.context.observations())) {
			try {
				Result result = work(object);
				observation.succeeded(result);
				return result;
			}
			catch (Throwable ex) {
				observation.failed(ex);
				throw ex;
			}
		}
	}

	private Result work(T object) throws Exception {
		return (this.finalizers != null) ? reconcileWithCleanUp(object, this.finalizers) : reconcile(object);
	}

	/* Nothing that a reconciler could be given, but enough to let it go. */
	private CompletableFuture<Result> runUndecodable(ObjectKey key, ObjectMeta metadata,
			Function<ObjectKey, DrainTurn> turn) {
		return switch (this.context.ownership().of(metadata.getLabels())) {
			case NOT_MINE -> done(Result.done());
			case ACKNOWLEDGE_DRAIN -> acknowledge(key, metadataOnly(metadata), turn.apply(key));
			case RECONCILE -> throw new UndecodableException(this.spec.type(), metadata);
		};
	}

	private static PartialObjectMetadata metadataOnly(ObjectMeta metadata) {
		PartialObjectMetadata object = new PartialObjectMetadata();
		object.setMetadata(metadata);
		return object;
	}

	private CompletableFuture<Result> acknowledge(ObjectKey key, HasMetadata object, DrainTurn turn) {
		if (turn != DrainTurn.OURS) {
			return done((turn == DrainTurn.LATER) ? LOOK_AGAIN : Result.done());
		}
		HandOver handOver = this.context.handOver();
		if (handOver == null) {
			return acknowledged(key, this.context.drainHandler().begin(this.spec.type(), object), (letGo) -> {
			});
		}
		GroupResource resource = this.spec.type().groupResource();
		long since = handOver.moves().drainSince(resource, key);
		// The claim ends before the object is given away, whatever comes of that.
		Claim claim = handOver.claims().letGo(resource, object);
		CompletableFuture<Boolean> begun;
		try (ClaimScope scope = ClaimScope.acknowledging(claim)) {
			begun = this.context.drainHandler().begin(this.spec.type(), object);
		}
		catch (RuntimeException | Error ex) {
			handOver.claims().ended(claim);
			throw ex;
		}
		return acknowledged(key, begun, (letGo) -> {
			handOver.claims().ended(claim);
			if (letGo) {
				handOver.moves().drained(resource, key, since);
			}
		});
	}

	/* Nobody may work on the object before all of it is noted. */
	private CompletableFuture<Result> acknowledged(ObjectKey key, CompletableFuture<Boolean> begun,
			Consumer<Boolean> note) {
		CompletableFuture<Result> result = new CompletableFuture<>();
		begun.handle((letGo, failure) -> {
			try {
				note.accept(failure == null && letGo);
				return result.complete((failure != null) ? acknowledgeAgain(key, failure) : afterwards(key, letGo));
			}
			catch (Throwable ex) {
				return result.completeExceptionally(ex);
			}
		});
		result.whenComplete((done, failure) -> begun.cancel(true));
		return result;
	}

	private Result afterwards(ObjectKey key, boolean letGo) {
		if (letGo) {
			return Result.done();
		}
		// The watch tells sooner what has changed; until then it would be refused again.
		logger.debug("Waiting for the new state of an object before acknowledging its drain controller={} key={}",
				this.spec.name(), key);
		return Result.requeueAfter(DrainPauses.SOON);
	}

	/*
	 * Until it is let go, nobody reconciles the object, so the back-off of a reconcile,
	 * which grows to many minutes, is too slow here.
	 */
	private Result acknowledgeAgain(ObjectKey key, Throwable failure) throws Throwable {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (!(cause instanceof ApiException refusal) || !DrainPauses.isPassing(refusal)) {
			throw cause;
		}
		logger.debug("Failed to acknowledge a drain, trying again controller={} key={} reason=\"{}\"", this.spec.name(),
				key, refusal.getMessage());
		return Result.requeueAfter(DrainPauses.after(refusal, 1, 0));
	}

	private Result reconcileWithCleanUp(T object, Finalizers<T> finalizers) throws Exception {
		boolean protectedByUs = finalizers.isOn(object);
		if (object.getMetadata().getDeletionTimestamp() != null) {
			return protectedByUs ? cleanUp(object, finalizers) : Result.done();
		}
		if (protectedByUs) {
			return reconcile(object);
		}
		T withFinalizer = finalizers.putOn(object);
		boolean stillOurs = this.context.ownership()
			.of(withFinalizer.getMetadata().getLabels()) == Responsibility.RECONCILE;
		return stillOurs ? reconcile(withFinalizer) : Result.done();
	}

	private Result cleanUp(T object, Finalizers<T> finalizers) throws Exception {
		Cleaner<T> hook = Objects.requireNonNull(this.spec.cleanUp());
		Result result = cleanUp(hook, object);
		if (result.isDone()) {
			try {
				finalizers.takeOff(object);
			}
			catch (ApiException ex) {
				if (!ex.isNotFound(object.getMetadata().getName())) {
					throw ex;
				}
			}
		}
		return result;
	}

	private Result cleanUp(Cleaner<T> hook, T object) throws Exception {
		try (UserCode.Call call = userCode("clean up", ObjectKey.of(object))) {
			return Objects.requireNonNull(hook.cleanUp(this.context.copier().copy(object)),
					"a Cleaner must return a Result");
		}
	}

	private UserCode.Call userCode(String what, ObjectKey key) {
		return this.context.userCode().begin(this.spec.name(), what, key);
	}

	private Result reconcile(T object) throws Exception {
		long begun = this.context.nanos().getAsLong();
		try (UserCode.Call call = userCode("reconcile", ObjectKey.of(object))) {
			Result result = Objects.requireNonNull(this.spec.reconciler().reconcile(this.context.copier().copy(object)),
					"a Reconciler must return a Result");
			this.metrics.reconciled(result, this.context.nanos().getAsLong() - begun);
			return result;
		}
		catch (Throwable ex) {
			this.metrics.failed(ex, this.context.nanos().getAsLong() - begun);
			throw ex;
		}
	}

	private void reportDeletion(ObjectKey key, @Nullable T present) throws Exception {
		DeletionListener<T> listener = this.spec.deletionListener();
		if (listener == null) {
			return;
		}
		List<T> gone = this.vanished.getOrDefault(key, List.of());
		for (T last : gone) {
			// What had a namesake after it is deleted.
			boolean deleted = (present != null) ? !isSame(last, uidOf(present))
					: (last != gone.get(gone.size() - 1) || isDeleted(key, last));
			if (deleted) {
				try (UserCode.Call call = userCode("deletion listener", key)) {
					listener.deleted(this.context.copier().copy(last));
				}
			}
			this.vanished.computeIfPresent(key, (name, all) -> {
				List<T> rest = all.stream().filter((other) -> other != last).toList();
				return rest.isEmpty() ? null : rest;
			});
		}
	}

	private boolean isDeleted(ObjectKey key, T last) {
		try {
			String answer = this.context.requests()
				.call(ApiRequest.of("GET", this.spec.type().path(key)).accept(MediaTypes.METADATA))
				.text();
			String uid = last.getMetadata().getUid();
			return uid != null && !answer.contains("\"uid\":\"" + uid + "\"");
		}
		catch (ApiException ex) {
			if (ex.isNotFound(key.name())) {
				return true;
			}
			throw ex;
		}
	}

	private static @Nullable String uidOf(HasMetadata object) {
		return object.getMetadata().getUid();
	}

	private static boolean isSame(HasMetadata last, @Nullable String uid) {
		return Objects.equals(last.getMetadata().getUid(), uid);
	}

}
