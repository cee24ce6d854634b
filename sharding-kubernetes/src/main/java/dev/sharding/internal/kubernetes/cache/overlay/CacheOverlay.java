package dev.sharding.internal.kubernetes.cache.overlay;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.cache.ChangeHandler;
import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.core.overlay.Emission;
import dev.sharding.internal.core.overlay.ObservedEvent;
import dev.sharding.internal.core.overlay.Overlay;
import dev.sharding.internal.core.overlay.OverlayStatus;
import dev.sharding.internal.core.overlay.OverlayTick;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * The own writes of one cache: tells the overlay of each write and each event, and
 * handlers of what it lets through.
 */
public final class CacheOverlay<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(CacheOverlay.class);

	private final Informer<T> informer;

	private final LongSupplier nanos;

	private final Map<String, Feed<T>> feeds = new LinkedHashMap<>();

	/** The feed of all namespaces, or {@code null} if each has its own. */
	private final @Nullable Feed<T> all;

	private final List<ChangeHandler<T>> handlers = new CopyOnWriteArrayList<>();

	private final ScopedAccess<T> access;

	private final List<Consumer<T>> leftListeners = new CopyOnWriteArrayList<>();

	/** What became of the event that is being told. Only for the informer's thread. */
	private List<Emission<T>> emitted = List.of();

	private @Nullable InformerEvent<T> told;

	public CacheOverlay(Informer<T> informer, ScopedAccess<T> access, Function<String, ScopeQuestions<T>> questions,
			LongSupplier nanos) {
		this(informer, access, questions, new QuestionPace(QuestionPace.USUAL, System::nanoTime), nanos);
	}

	/**
	 * Creates it without own writes.
	 * @param questions asks the API server about a namespace, or with an empty one about
	 * all
	 * @param pace how often it is asked
	 */
	CacheOverlay(Informer<T> informer, ScopedAccess<T> access, Function<String, ScopeQuestions<T>> questions,
			QuestionPace pace, LongSupplier nanos) {
		this.informer = informer;
		this.access = access;
		this.nanos = nanos;
		Set<String> namespaces = informer.spec().namespaces();
		for (String namespace : namespaces.isEmpty() ? Set.of("") : namespaces) {
			this.feeds.put(namespace,
					new Feed<>(namespace, access, questions.apply(namespace), pace, informer.store(), nanos));
		}
		this.all = this.feeds.get("");
		informer.addHandler(this::happened);
	}

	Collection<Feed<T>> feeds() {
		return this.feeds.values();
	}

	/** The feed of a namespace, or {@code null} if none follows it. */
	@Nullable Feed<T> feed(String namespace) {
		return (this.all != null) ? this.all : this.feeds.get(namespace);
	}

	boolean isQuiet() {
		for (Feed<T> feed : this.feeds.values()) {
			if (!feed.isQuiet()) {
				return false;
			}
		}
		return true;
	}

	/** Adds a handler that hears of no write that its own writer made. */
	public void addHandler(ChangeHandler<T> handler) {
		this.handlers.add(handler);
		InformerHandler<T> inTurn = (event) -> {
			if (this.told != event) {
				handler.onEvent(event, (writer) -> true);
				return;
			}
			for (Emission<T> emission : this.emitted) {
				boolean now = emission.event().object() == objectOf(event);
				handler.onEvent(now ? event : asInformerEvent(emission.event()), emission::reaches);
			}
		};
		this.informer.addHandler(inTurn);
	}

	/**
	 * Sends a write.
	 * @param namespace where to
	 * @param write what is about to be sent
	 * @param request sends it and returns the object, or {@code null} if it is gone
	 * @param goneUid the uid that is gone then
	 */
	public @Nullable T write(String namespace, OwnWrite<ObjectKey, T> write, Supplier<@Nullable T> request,
			@Nullable String goneUid) {
		return write(namespace, write, () -> new WriteAnswer<>(request.get(), goneUid));
	}

	/**
	 * Sends a write.
	 * @param namespace where to
	 * @param write what is about to be sent
	 * @param request sends it
	 * @return the object, or {@code null} if it is gone
	 */
	public @Nullable T write(String namespace, OwnWrite<ObjectKey, T> write, Supplier<WriteAnswer<T>> request) {
		Feed<T> feed = feed(namespace);
		if (feed == null) {
			return request.get().object();
		}
		long id = feed.with((overlay) -> overlay.sent(write, this.nanos.getAsLong()));
		WriteAnswer<T> answer;
		try {
			answer = request.get();
		}
		catch (RuntimeException | Error ex) {
			List<Emission<T>> released = feed.with((overlay) -> isRefusal(ex) ? overlay.failed(id)
					: overlay.outcomeUnknown(id, this.nanos.getAsLong()));
			release(released);
			throw ex;
		}
		try {
			T object = answer.object();
			// The answer to a delete, or a look after it, need not be all of the object.
			if (object != null && !(write instanceof OwnWrite.Delete)) {
				this.informer.answered(object);
			}
			release(feed.with((overlay) -> settled(overlay, id, answer)));
			if (object != null) {
				noted(feed, object);
			}
		}
		catch (RuntimeException ex) {
			// The write has succeeded, whatever becomes of our notes.
			logger.error("Failed to note an own write: resource={} namespace={}", this.informer.spec().type(),
					namespace, ex);
		}
		return answer.object();
	}

	private List<Emission<T>> settled(Overlay<ObjectKey, T> overlay, long id, WriteAnswer<T> answer) {
		T object = answer.object();
		if (object != null) {
			return overlay.returned(id, object, this.nanos.getAsLong());
		}
		overlay.deleted(id, answer.goneUid(), this.nanos.getAsLong());
		return List.of();
	}

	/**
	 * Adds a listener that hears of objects that an answer shows to be out of scope, as
	 * they were then, sooner perhaps than the informer.
	 * @param listener called on the thread that got the answer, quick
	 */
	public void addLeftListener(Consumer<T> listener) {
		this.leftListeners.add(listener);
	}

	private void noted(Feed<T> feed, T object) {
		feed.noted(object);
		if (!this.access.inScope(object)) {
			this.leftListeners.forEach((listener) -> listener.accept(object));
		}
	}

	/** Takes an object that the API server returned to somebody else in this process. */
	public void handIn(T object) {
		Feed<T> feed = feed(ObjectKey.of(object).namespace());
		if (feed != null) {
			feed.change((overlay) -> overlay.handIn(object, this.nanos.getAsLong()));
			noted(feed, object);
		}
	}

	/** Takes an object as a read showed it: it exists. */
	public void handInSeen(T object) {
		Feed<T> feed = feed(ObjectKey.of(object).namespace());
		if (feed != null) {
			feed.change((overlay) -> overlay.handInSeen(object, this.nanos.getAsLong()));
			noted(feed, object);
		}
	}

	/** Takes a list of the whole scope: what it does not show is absent. */
	public void handInList(StoreView<T> answer) {
		Predicate<ObjectKey> listed = (key) -> answer.get(key) != null || answer.undecodable(key) != null;
		List<T> stored = this.informer.store()
			.list()
			.stream()
			.filter((object) -> !listed.test(ObjectKey.of(object)))
			.toList();
		for (Feed<T> feed : this.feeds.values()) {
			String version = answer.watermark(feed.namespace());
			if (version == null || (stored.isEmpty() && feed.isQuiet())) {
				continue;
			}
			List<ObjectKey> missing = stored.stream()
				.filter((object) -> ResourceVersions.compare(object.getMetadata().getResourceVersion(),
						version) == Order.BEFORE)
				.map(ObjectKey::of)
				.filter((key) -> feed(key.namespace()) == feed)
				.toList();
			feed.change((overlay) -> overlay.handInList(listed, missing, version, this.nanos.getAsLong()));
		}
	}

	/**
	 * Takes the answer that an object is gone.
	 * @param last a state of it that was seen before that was asked
	 */
	public void handInGone(T last) {
		Feed<T> feed = feed(ObjectKey.of(last).namespace());
		if (feed != null) {
			feed.change((overlay) -> overlay.handInGone(last, this.nanos.getAsLong()));
		}
	}

	/**
	 * Has somebody told when there is something for ticks to do.
	 * @param busy called with each change as long as there is
	 */
	public void whenBusy(Runnable busy) {
		this.feeds.values().forEach((feed) -> feed.whenBusy(busy));
	}

	public boolean isAtRest() {
		return this.feeds.values().stream().allMatch(Feed::isAtRest);
	}

	/** To be called about once a second, unless it is at rest. */
	public void tick() {
		for (Feed<T> feed : this.feeds.values()) {
			OverlayTick<ObjectKey, T> due = feed.with((overlay) -> overlay.tick(this.nanos.getAsLong()));
			release(due.emissions());
			// Before the first list nobody is shown anything, and that list will know of
			// it.
			boolean filled = this.informer.store().watermark(feed.namespace()) != null;
			feed.settle(due, filled ? this.informer::refresh : () -> CompletableFuture.completedFuture(null));
		}
	}

	/** What is held, summed up. */
	public OverlayStatus status() {
		OverlayStatus sum = new OverlayStatus(0, 0, 0, 0, 0);
		for (Feed<T> feed : this.feeds.values()) {
			OverlayStatus one = feed.with((overlay) -> overlay.status(this.nanos.getAsLong()));
			sum = new OverlayStatus(sum.entries() + one.entries(), sum.awaited() + one.awaited(),
					sum.inFlight() + one.inFlight(), sum.held() + one.held(),
					Math.max(sum.oldestNanos(), one.oldestNanos()));
		}
		return sum;
	}

	/*
	 * The API server says so when it did nothing. Most of its own failures, and silence,
	 * leave open what happened; a request that could not even be built was not sent.
	 */
	private static boolean isRefusal(Throwable ex) {
		return ex instanceof IllegalArgumentException || ex instanceof NotSentException
				|| (ex instanceof ApiException failure && failure.isWithoutEffect());
	}

	private void happened(InformerEvent<T> event) {
		if (event instanceof InformerEvent.Undecodable) {
			// Changes nothing that is read; told as it is.
			return;
		}
		this.told = event;
		this.emitted = List.of();
		if (event instanceof InformerEvent.RelistStarted<T> relist) {
			with(relist.namespace(), Feed::relistStarted);
		}
		else if (event instanceof InformerEvent.RelistFinished<T> relist) {
			with(relist.namespace(), (feed) -> feed.relistFinished(relist.version()));
		}
		else if (event instanceof InformerEvent.Bookmark<T> bookmark) {
			with(bookmark.namespace(), (feed) -> feed.bookmark(bookmark.version()));
		}
		else {
			ObservedEvent<T> observed = observed(event);
			Feed<T> feed = feed(ObjectKey.of(observed.object()).namespace());
			if (feed != null) {
				// Whatever fails below, nobody is to miss the event.
				this.emitted = List.of(Emission.toAllBut(Set.of(), observed));
				this.emitted = feed.with((overlay) -> overlay.event(observed, this.nanos.getAsLong()));
			}
		}
	}

	private void with(String namespace, Consumer<Feed<T>> use) {
		Feed<T> feed = this.feeds.get(namespace);
		if (feed != null) {
			use.accept(feed);
		}
	}

	private void release(List<Emission<T>> emissions) {
		for (Emission<T> emission : emissions) {
			for (ChangeHandler<T> handler : this.handlers) {
				try {
					handler.onEvent(asInformerEvent(emission.event()), emission::reaches);
				}
				catch (RuntimeException ex) {
					logger.error("Handler failed: resource={}", this.informer.spec().type(), ex);
				}
			}
		}
	}

	private static <S extends HasMetadata> ObservedEvent<S> observed(InformerEvent<S> event) {
		if (event instanceof InformerEvent.Added<S> added) {
			return new ObservedEvent.Added<>(added.object());
		}
		if (event instanceof InformerEvent.Updated<S> updated) {
			return new ObservedEvent.Updated<>(updated.before(), updated.after());
		}
		InformerEvent.Removed<S> removed = (InformerEvent.Removed<S>) event;
		return new ObservedEvent.Removed<>(removed.last(), removed.finalStateUnknown());
	}

	private static <S extends HasMetadata> InformerEvent<S> asInformerEvent(ObservedEvent<S> event) {
		if (event instanceof ObservedEvent.Added<S> added) {
			return new InformerEvent.Added<>(added.object(), false);
		}
		if (event instanceof ObservedEvent.Updated<S> updated) {
			return new InformerEvent.Updated<>(updated.before(), updated.object(), false);
		}
		ObservedEvent.Removed<S> removed = (ObservedEvent.Removed<S>) event;
		return new InformerEvent.Removed<>(removed.object(), removed.finalStateUnknown());
	}

	private static @Nullable Object objectOf(InformerEvent<?> event) {
		if (event instanceof InformerEvent.Added<?> added) {
			return added.object();
		}
		if (event instanceof InformerEvent.Updated<?> updated) {
			return updated.after();
		}
		return (event instanceof InformerEvent.Removed<?> removed) ? removed.last() : null;
	}

}
