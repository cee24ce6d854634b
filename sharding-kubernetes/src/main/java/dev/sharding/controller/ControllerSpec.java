package dev.sharding.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.Internal;
import dev.sharding.internal.kubernetes.reconcile.KnownFilter;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * What a controller is made of. Built with {@link #of}.
 *
 * @param <T> the main resource
 * @param name the controller's name in logs, metrics and threads
 * @param type the main resource
 * @param reconciler reconciles one object
 * @param cleanUp cleans up after an object that is being deleted, or {@code null}
 * @param deletionListener hears of deleted objects, or {@code null}
 * @param selection tells by their state which main objects are reconciled at all
 * @param filter tells which changes of those lead to a reconcile
 * @param watches other resources whose events lead to reconciles
 * @param concurrency how many objects are reconciled at a time
 * @param backoff how long a failed object waits
 * @param resync how often every object is reconciled for no reason, or {@code null} for
 * never
 */
public record ControllerSpec<T extends HasMetadata>(String name, ResourceType<T> type, Reconciler<T> reconciler,
		@Nullable Cleaner<T> cleanUp, @Nullable DeletionListener<T> deletionListener, Predicate<T> selection,
		EventFilter<T> filter, List<SecondaryWatch<?>> watches, int concurrency, Backoff backoff,
		@Nullable Duration resync) {

	/** How many objects a controller reconciles at a time unless told otherwise. */
	public static final int DEFAULT_CONCURRENCY = 10;

	/** How often every object is reconciled for no reason unless told otherwise. */
	public static final Duration DEFAULT_RESYNC = Duration.ofHours(10);

	private static final Predicate<?> EVERYTHING = (object) -> true;

	public ControllerSpec {
		requireGiven("type", type);
		requireGiven("reconciler", reconciler);
		requireGiven("selection", selection);
		requireGiven("filter", filter);
		requireGiven("backoff", backoff);
		watches = List.copyOf(watches);
		if (name == null || name.isBlank()) {
			throw new IllegalArgumentException("'name' must not be blank");
		}
		for (SecondaryWatch<?> watch : watches) {
			requireGiven("resource of a watch", watch.type());
			requireGiven("mapper of a watch", watch.mapper());
		}
		if (concurrency < 1) {
			throw new IllegalArgumentException("'concurrency' must be positive (is " + concurrency + ")");
		}
		if (resync != null && (resync.isNegative() || resync.isZero())) {
			throw new IllegalArgumentException("'resync' must be positive (is " + resync + ")");
		}
	}

	private static void requireGiven(String what, @Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("'%s' must not be null".formatted(what));
		}
	}

	@SuppressWarnings("unchecked")
	private static <T> Predicate<T> everything() {
		return (Predicate<T>) EVERYTHING;
	}

	/** Whether all main objects are reconciled, whatever their state. */
	@Internal
	public boolean selectsAll() {
		return this.selection == EVERYTHING;
	}

	/**
	 * Starts the description of a controller.
	 * @param <T> the main resource
	 * @param type the main resource
	 * @param reconciler reconciles one object; if it also implements {@link Cleaner}, it
	 * cleans up as well
	 * @return a builder with defaults
	 */
	public static <T extends HasMetadata> Builder<T> of(ResourceType<T> type, Reconciler<T> reconciler) {
		return new Builder<>(type, reconciler);
	}

	/**
	 * Builds a {@link ControllerSpec}.
	 *
	 * @param <T> the main resource
	 */
	public static final class Builder<T extends HasMetadata> {

		private final ResourceType<T> type;

		private final Reconciler<T> reconciler;

		private final List<SecondaryWatch<?>> watches = new ArrayList<>();

		private String name;

		private @Nullable Cleaner<T> cleanUp;

		private @Nullable DeletionListener<T> deletionListener;

		private Predicate<T> selection = everything();

		private EventFilter<T> filter = EventFilter.all();

		private int concurrency = DEFAULT_CONCURRENCY;

		private Backoff backoff = Backoff.DEFAULT;

		private @Nullable Duration resync = DEFAULT_RESYNC;

		@SuppressWarnings("unchecked")
		Builder(ResourceType<T> type, Reconciler<T> reconciler) {
			this.type = type;
			this.reconciler = reconciler;
			this.name = type.kind().toLowerCase(Locale.ROOT);
			this.cleanUp = (reconciler instanceof Cleaner<?> own) ? (Cleaner<T>) own : null;
		}

		/**
		 * Names the controller.
		 * @param name the name; by default the kind of the main resource in lower case
		 * @return this
		 */
		public Builder<T> named(String name) {
			this.name = name;
			return this;
		}

		/**
		 * Reconciles an object also when an object that it controls appears, changes or
		 * vanishes. In a shard, {@code owned} must be a controlled resource of the ring.
		 * @param owned the controlled resource
		 * @return this
		 */
		public Builder<T> owns(ResourceType<?> owned) {
			this.watches.add(SecondaryWatch.owned(owned, this.type));
			return this;
		}

		/**
		 * Reconciles objects also when an object of another resource appears, changes or
		 * vanishes. All objects of that resource are watched, also in a shard.
		 * @param <S> the other resource
		 * @param other the other resource
		 * @param mapper finds the main objects that an object concerns
		 * @return this
		 */
		public <S extends HasMetadata> Builder<T> watches(ResourceType<S> other,
				Function<S, Collection<ObjectKey>> mapper) {
			this.watches.add(new SecondaryWatch<>(other, false, mapper));
			return this;
		}

		/**
		 * As {@link #watches}, but in a shard only objects with the shard's label are
		 * watched. The other resource must be one of the ring's.
		 * @param <S> the other resource
		 * @param other the other resource
		 * @param mapper finds the main objects that an object concerns
		 * @return this
		 */
		public <S extends HasMetadata> Builder<T> watchesSharded(ResourceType<S> other,
				Function<S, Collection<ObjectKey>> mapper) {
			this.watches.add(new SecondaryWatch<>(other, true, mapper));
			return this;
		}

		/**
		 * Reconciles only main objects that {@code predicate} selects, in addition to
		 * earlier selections. An object that is not selected any more is not reconciled
		 * any more; a drain is acknowledged, and a clean-up that has begun goes on,
		 * whatever is selected.
		 * @param predicate judges an object by its present state, also when its turn
		 * comes, for several objects at a time; one that takes long holds up its
		 * controller, one that throws has the object reconciled; must not modify it
		 * @return this
		 */
		public Builder<T> select(Predicate<? super T> predicate) {
			Predicate<T> one = predicate::test;
			this.selection = (this.selection == EVERYTHING) ? one : this.selection.and(one);
			return this;
		}

		/**
		 * Of the changes of a main object, has only those lead to a reconcile that
		 * {@code filter} accepts, in addition to earlier filters.
		 * @param filter judges changes of the main resource
		 * @return this
		 */
		public Builder<T> filter(EventFilter<? super T> filter) {
			this.filter = (this.filter == KnownFilter.ALL && filter instanceof KnownFilter known) ? known.cast()
					: this.filter.and(filter);
			return this;
		}

		/**
		 * Cleans up after objects that are being deleted.
		 * @param hook what to do
		 * @return this
		 */
		public Builder<T> cleanUp(Cleaner<T> hook) {
			this.cleanUp = hook;
			return this;
		}

		/**
		 * Subscribes to deletions.
		 * @param listener hears of them
		 * @return this
		 */
		public Builder<T> onDeletion(DeletionListener<T> listener) {
			this.deletionListener = listener;
			return this;
		}

		/**
		 * How many objects are reconciled at a time.
		 * @param objects a positive number
		 * @return this
		 */
		public Builder<T> concurrency(int objects) {
			this.concurrency = objects;
			return this;
		}

		/**
		 * How long a failed object waits.
		 * @param law the law
		 * @return this
		 */
		public Builder<T> backoff(Backoff law) {
			this.backoff = law;
			return this;
		}

		/**
		 * How often every object is reconciled for no reason, at low priority.
		 * @param period the period, or {@code null} for never
		 * @return this
		 */
		public Builder<T> resync(@Nullable Duration period) {
			this.resync = period;
			return this;
		}

		/**
		 * Completes the description.
		 * @return the specification
		 */
		public ControllerSpec<T> build() {
			return new ControllerSpec<>(this.name, this.type, this.reconciler, this.cleanUp, this.deletionListener,
					this.selection, this.filter, this.watches, this.concurrency, this.backoff, this.resync);
		}

	}

}
