package dev.sharding.internal.kubernetes.cache.overlay;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.Correction;
import dev.sharding.internal.core.overlay.DoubtQuestion;
import dev.sharding.internal.core.overlay.Overlay;
import dev.sharding.internal.core.overlay.OverlayLimits;
import dev.sharding.internal.core.overlay.OverlayTick;
import dev.sharding.internal.core.overlay.ReadView;
import dev.sharding.internal.core.overlay.Sight;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.informer.store.Store;
import dev.sharding.resource.ObjectKey;

/**
 * The overlay of one list and watch, its lock, and the questions that it has for the API
 * server. Nothing blocks under the lock.
 */
final class Feed<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(Feed.class);

	private final String namespace;

	private final Overlay<ObjectKey, T> overlay;

	private final ScopeQuestions<T> questions;

	private final QuestionPace pace;

	private final DoubtResolver<T> doubts;

	private final Store<T> store;

	private final LongSupplier nanos;

	private final AtomicBoolean asking = new AtomicBoolean();

	private final AtomicBoolean covering = new AtomicBoolean();

	private final AtomicBoolean refreshing = new AtomicBoolean();

	/** Whether the store alone is right. */
	private volatile boolean quiet = true;

	/** Whether ticks have nothing to do. */
	private volatile boolean resting = true;

	private volatile Runnable busy = () -> {
	};

	/**
	 * Creates a feed.
	 * @param namespace the namespace, or empty for all
	 * @param questions asks the API server about it
	 * @param pace how often, shared by the feeds of a cache
	 * @param store what the informer has
	 */
	Feed(String namespace, ScopedAccess<T> access, ScopeQuestions<T> questions, QuestionPace pace, Store<T> store,
			LongSupplier nanos) {
		this.namespace = namespace;
		this.overlay = new Overlay<>(access, OverlayLimits.defaults());
		this.questions = questions;
		this.pace = pace;
		this.doubts = new DoubtResolver<>(this, questions, pace);
		this.store = store;
		this.nanos = nanos;
	}

	/** The namespace that it follows, or empty for all. */
	String namespace() {
		return this.namespace;
	}

	/**
	 * Has somebody told when there is something for ticks to do.
	 * @param busy called with each change as long as there is
	 */
	void whenBusy(Runnable busy) {
		this.busy = busy;
	}

	boolean isAtRest() {
		return this.resting;
	}

	boolean isQuiet() {
		return this.quiet;
	}

	<R> R with(Function<Overlay<ObjectKey, T>, R> use) {
		try {
			return locked(use);
		}
		finally {
			this.doubts.wake();
			if (!this.resting) {
				this.busy.run();
			}
		}
	}

	private synchronized <R> R locked(Function<Overlay<ObjectKey, T>, R> use) {
		try {
			return use.apply(this.overlay);
		}
		finally {
			this.quiet = this.overlay.correctsNothing();
			this.resting = this.overlay.isAtRest();
		}
	}

	synchronized boolean test(Predicate<Overlay<ObjectKey, T>> condition) {
		return condition.test(this.overlay);
	}

	void relistStarted() {
		change(Overlay::relistStarted);
	}

	void relistFinished(String version) {
		change((overlay) -> overlay.relistFinished(version));
	}

	void bookmark(String version) {
		change((overlay) -> overlay.bookmark(version));
	}

	void change(Consumer<Overlay<ObjectKey, T>> use) {
		with((overlay) -> {
			use.accept(overlay);
			return true;
		});
	}

	/** What to ask about writes in doubt, {@code null} if there are none. */
	synchronized @Nullable DoubtQuestion<ObjectKey> question() {
		return this.overlay.question();
	}

	/** Where a reader begins; what falls in doubt later does not concern it. */
	synchronized long mark() {
		return this.overlay.mark();
	}

	synchronized ReadView<ObjectKey, T> view(long mark) {
		return this.overlay.view(mark);
	}

	/** Reads one object: the correction first, the store after. */
	@Nullable T get(ObjectKey key, Deadline deadline) {
		if (this.quiet) {
			return this.store.get(key);
		}
		long mark = mark();
		Deadline limit = deadline.begun();
		while (true) {
			Correction<ObjectKey, T> correction = correction(key, mark);
			if (correction == null) {
				return this.store.get(key);
			}
			Sight<ObjectKey, T> sight = this.store
				.read((view) -> correction.apply(view.get(key), view.watermark(key.namespace())));
			if (sight instanceof Sight.Known<ObjectKey, T> known) {
				return known.result();
			}
			Optional<Collection<T>> told = ask((Sight.AskServer<ObjectKey, ?>) sight, key, mark, limit);
			if (told.isPresent()) {
				return told.get()
					.stream()
					.filter((object) -> ObjectKey.of(object).equals(key))
					.findFirst()
					.orElse(null);
			}
		}
	}

	/** What a reader sees, as far as that is known without asking. */
	Sight<ObjectKey, T> sight(ObjectKey key) {
		Correction<ObjectKey, T> correction = this.quiet ? null : correction(key, Long.MAX_VALUE);
		return (correction == null) ? new Sight.Known<>(this.store.get(key))
				: this.store.read((view) -> correction.apply(view.get(key), view.watermark(key.namespace())));
	}

	/**
	 * Waits until a reader in doubt may look again.
	 * @param key what it reads, or {@code null} for lists
	 * @return what it is to take for the scope, or empty if it is to look
	 */
	Optional<Collection<T>> ask(Sight.AskServer<ObjectKey, ?> sight, @Nullable ObjectKey key, long mark,
			Deadline deadline) {
		return this.doubts.await(sight.writes().isEmpty() ? null : (overlay) -> overlay.isInDoubt(key, mark), deadline);
	}

	/** Asks for what a tick found missing. Returns at once; the next tick asks again. */
	void settle(OverlayTick<ObjectKey, T> due, Supplier<CompletableFuture<Void>> refresh) {
		if (!due.doubts().isEmpty()) {
			once(this.asking, this.doubts::settle);
		}
		else if (!due.uncovered().isEmpty() && this.pace.take()) {
			once(this.covering,
					() -> this.questions.version()
						.whenComplete((version, failure) -> heard(failure))
						.thenAccept((version) -> change((overlay) -> overlay.covered(due.uncovered(), version))));
		}
		if (!due.stuck().isEmpty()) {
			once(this.refreshing,
					() -> refresh.get().thenRun(() -> change((overlay) -> overlay.refreshed(due.stuck()))));
		}
	}

	private void once(AtomicBoolean running, Supplier<CompletableFuture<Void>> question) {
		if (running.compareAndSet(false, true)) {
			CompletableFuture<Void> asked;
			try {
				asked = question.get();
			}
			catch (RuntimeException ex) {
				asked = CompletableFuture.failedFuture(ex);
			}
			asked.whenComplete((done, failure) -> {
				running.set(false);
				if (failure != null) {
					logger.debug("Failed to settle own writes, trying again namespace={} reason=\"{}\"", this.namespace,
							failure.getMessage());
				}
			});
		}
	}

	private void heard(@Nullable Throwable failure) {
		if (failure != null) {
			this.pace.refused(ApiException.of(failure));
		}
	}

	/** Takes the objects that the API server has, asked about writes in doubt. */
	void resolved(Map<Long, Optional<ObjectKey>> asked, ScopeQuestions.Answer<T> answer) {
		long now = this.nanos.getAsLong();
		change((overlay) -> overlay.resolved(asked, answer.objects(), answer.unfit(), answer.version(), now));
		if (!answer.isComparable()) {
			Map<ObjectKey, T> found = new HashMap<>();
			answer.objects().forEach((object) -> found.put(ObjectKey.of(object), object));
			asked.values()
				.stream()
				.flatMap(Optional::stream)
				.distinct()
				// Absent here and there says nothing where the watch has yet to tell of a
				// create as well.
				.filter((key) -> !answer.unfit().contains(key) && isStored(key, found.get(key))
						&& (found.containsKey(key) || times(asked, key) == 1))
				.forEach((key) -> change((overlay) -> overlay.shown(asked, key)));
		}
	}

	private static long times(Map<Long, Optional<ObjectKey>> asked, ObjectKey key) {
		return asked.values().stream().filter((named) -> named.isPresent() && named.get().equals(key)).count();
	}

	/** Takes the versions that the API server has, asked about writes in doubt. */
	void listed(Map<Long, Optional<ObjectKey>> asked, ScopeQuestions.Listing listing) {
		long now = this.nanos.getAsLong();
		change((overlay) -> overlay.listed(asked, listing.versions(), listing.version(), now));
	}

	/*
	 * The overlay follows the order of versions. Without one it can only be told that the
	 * store had got there before; if it gets there now, an event tells.
	 */
	void noted(T object) {
		if (!ResourceVersions.isComparable(object.getMetadata().getResourceVersion())
				&& isStored(ObjectKey.of(object), object)) {
			change((overlay) -> overlay.shown(object));
		}
	}

	private boolean isStored(ObjectKey key, @Nullable T object) {
		T stored = this.store.get(key);
		if (stored == null || object == null) {
			return stored == object;
		}
		return Objects.equals(stored.getMetadata().getResourceVersion(), object.getMetadata().getResourceVersion())
				&& Objects.equals(stored.getMetadata().getUid(), object.getMetadata().getUid());
	}

	private synchronized @Nullable Correction<ObjectKey, T> correction(ObjectKey key, long mark) {
		return this.overlay.correction(key, mark);
	}

}
