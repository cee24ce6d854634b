package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.read.Filling;
import dev.sharding.internal.kubernetes.informer.store.CatchUp;
import dev.sharding.internal.kubernetes.informer.store.Reflector;
import dev.sharding.internal.kubernetes.informer.store.Refresher;
import dev.sharding.internal.kubernetes.informer.store.SelectedCatchUps;
import dev.sharding.internal.kubernetes.informer.store.Store;
import dev.sharding.internal.kubernetes.informer.store.StorePart;
import dev.sharding.internal.kubernetes.informer.store.VersionWaits;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.informer.wire.JsonSlice;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/**
 * Follows the objects of a scope: keeps them in a {@link Store}, tells handlers what
 * changes, and goes on through every failure of the API server until it is closed. Safe
 * for use by many threads.
 *
 * @param <T> the class of the objects
 */
public final class Informer<T extends HasMetadata> implements AutoCloseable {

	private final InformerSpec<T> spec;

	private final String name;

	private final Dispatcher<T> dispatcher;

	private final Store<T> store;

	private final List<Reflector<T>> reflectors = new ArrayList<>();

	private final Refresher refresher;

	private final SelectedCatchUps<T> selectedCatchUps;

	private final VersionWaits versionWaits;

	private final ThreadFactory threads;

	private final List<Thread> listing = new CopyOnWriteArrayList<>();

	private final FirstLists<T> firstLists = new FirstLists<>(this.reflectors, () -> this.started, () -> this.closed);

	private final List<InformerHandler<T>> observers = new CopyOnWriteArrayList<>();

	private final List<Consumer<InformerStatus>> statusListeners = new CopyOnWriteArrayList<>();

	private final CompletableFuture<Void> synced = new CompletableFuture<>();

	private volatile boolean started;

	private volatile boolean closed;

	/**
	 * Creates an informer that does nothing before {@link #start()}.
	 * @param client the connection, which must outlive the informer
	 * @param spec what to follow
	 */
	public Informer(KubernetesClient client, InformerSpec<T> spec) {
		this(client, new ApiRequests(client), spec, Informer::daemon, InstantSource.system(), System::nanoTime);
	}

	/**
	 * Creates an informer with threads and clocks of the caller.
	 * @param client the connection of lists and watches, which must outlive the informer
	 * @param questions asks how far the API server is; may go to another one
	 * @param spec what to follow
	 * @param threads makes one thread per namespace and one for the handlers
	 * @param clock tells since when the informer has been failing
	 * @param nanos tells how long watches live and failures last
	 */
	public Informer(KubernetesClient client, ApiRequests questions, InformerSpec<T> spec, ThreadFactory threads,
			InstantSource clock, LongSupplier nanos) {
		this.spec = spec;
		this.threads = threads;
		this.name = spec.type().groupResource().toString();
		this.dispatcher = new Dispatcher<>(this.name);
		this.store = new Store<>(spec.namespaces(), spec.indexers(), this::happened);
		ApiRequests api = new ApiRequests(client);
		RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
		for (StorePart<T> part : this.store.parts()) {
			String partName = part.namespace().isEmpty() ? this.name : this.name + "/" + part.namespace();
			ReflectorStatus status = new ReflectorStatus(partName, clock, nanos, this::statusChanged);
			this.reflectors.add(new Reflector<>(partName, api, questions, client.getKubernetesSerialization(), spec,
					part, status, random, nanos));
		}
		this.versionWaits = new VersionWaits(this.name, this.reflectors, spec.timings(), this.dispatcher::submit);
		this.refresher = new Refresher(this.reflectors, spec.timings(), this.dispatcher::submit,
				ProtocolThreads.EXECUTOR, random);
		this.selectedCatchUps = new SelectedCatchUps<>(this.refresher, this.store);
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Starts to list and watch. Returns at once; failures show in {@link #status()}.
	 */
	public synchronized void start() {
		if (this.closed || this.started) {
			return;
		}
		run(this.dispatcher, "informer-" + this.name + "-handlers");
		this.started = true;
		for (Reflector<T> reflector : this.reflectors) {
			String namespace = reflector.part().namespace();
			String threadName = "informer-" + this.name + (namespace.isEmpty() ? "" : "-" + namespace);
			this.listing.add(run(reflector, threadName));
		}
	}

	private Thread run(Runnable task, String threadName) {
		Thread thread = this.threads.newThread(task);
		thread.setName(threadName);
		thread.start();
		return thread;
	}

	/**
	 * Ends the informer for good, without waiting for the API server. The store keeps
	 * what it has; no further handler is called, though one may still be running. Futures
	 * that are not done fail with a {@link CancellationException}.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		this.dispatcher.close();
		this.reflectors.forEach(Reflector::close);
		this.listing.forEach(Thread::interrupt);
		this.refresher.close();
		this.selectedCatchUps.close();
		this.synced.completeExceptionally(VersionWaits.closing());
		this.versionWaits.close();
		this.firstLists.changed();
	}

	/**
	 * Adds a handler. It gets all objects stored now as initial ones and from then on
	 * every event, serially, on a thread of the informer.
	 * @param handler the handler; it should be quick, as events queue up meanwhile
	 */
	public void addHandler(InformerHandler<T> handler) {
		addHandler(handler, () -> {
		});
	}

	/**
	 * The same for somebody who wants to know when the handler has had the initial ones.
	 * @param handler the handler
	 * @param told runs then, on the thread of the handlers; not at all if the informer is
	 * closed before
	 */
	public void addHandler(InformerHandler<T> handler, Runnable told) {
		this.store.write(() -> {
			this.dispatcher.add(handler, new ArrayList<>(this.store.objects().values()));
			this.dispatcher.submit(told);
		});
	}

	/**
	 * Takes a handler off. It is not called any more, though one call may still be under
	 * way.
	 * @param handler one that was added, or that was not
	 */
	public void removeHandler(InformerHandler<T> handler) {
		this.store.write(() -> this.dispatcher.remove(handler));
	}

	/**
	 * Adds an observer. It gets every event from now on, serially, under the store's lock
	 * and before any reader but {@link Store#get} can see the change. It must be quick
	 * and must not wait for anything.
	 * @param observer the observer
	 */
	public void addObserver(InformerHandler<T> observer) {
		this.store.write(() -> this.observers.add(observer));
	}

	/**
	 * Adds somebody who hears of what is added and updated before any reader,
	 * {@link Store#get} among them, can see it; otherwise as an observer.
	 * @param forerunner the forerunner
	 */
	public void addForerunner(InformerHandler<T> forerunner) {
		this.store.write(() -> this.store.announceTo((event) -> this.dispatcher.call(forerunner, event)));
	}

	/**
	 * Adds a listener that is called after every change of {@link #status()} but those of
	 * watermark and number of objects, on the thread of the handlers.
	 * @param listener the listener
	 */
	public void addStatusListener(Consumer<InformerStatus> listener) {
		this.statusListeners.add(listener);
	}

	/**
	 * Takes a listener off. One call of it may still be under way.
	 * @param listener one that was added, or that was not
	 */
	public void removeStatusListener(Consumer<InformerStatus> listener) {
		this.statusListeners.remove(listener);
	}

	/**
	 * Takes an object that an own write brought. The store does not show it before the
	 * watch does, which then tells nothing that has to be parsed once more.
	 * @param object the whole object, as the API server answered, in the class and with
	 * the managed fields of this informer; nobody may change it any more
	 */
	public void answered(T object) {
		if (storesAnswers()) {
			this.store.answers().add(object);
		}
	}

	/**
	 * Reads the answer to an own write, unless the watch has told of it while the write
	 * was under way.
	 * @param bytes the whole object, as the API server answered; may be changed
	 * @param before what the store had of it before the write was sent, or {@code null}
	 * @param decoder parses it, in the class and with the managed fields of the cache
	 * @return the object; nobody may change it
	 * @throws UndecodableException if the bytes do not fit the class
	 */
	public T answer(byte[] bytes, @Nullable T before, ObjectDecoder<T> decoder) {
		T told = storesAnswers() ? this.store.toldSince(before, ObjectFacts.read(JsonSlice.of(bytes))) : null;
		return (told != null) ? told : decoder.decode(bytes);
	}

	/** Whether what is stored is the same that a write brings. */
	private boolean storesAnswers() {
		return !this.spec.keepManagedFields() && !this.spec.type().isMetadataOnly();
	}

	/**
	 * What the informer follows.
	 * @return the specification
	 */
	public InformerSpec<T> spec() {
		return this.spec;
	}

	/**
	 * The objects.
	 * @return the store, empty at first
	 */
	public Store<T> store() {
		return this.store;
	}

	/**
	 * Completes when the store is full for the first time and the handlers have had all
	 * of it. Completes on the thread of the handlers, which must not be blocked.
	 * @return the future
	 */
	public CompletableFuture<Void> synced() {
		return this.synced.copy();
	}

	/**
	 * How far the store is with its first list.
	 * @param namespace the part of the scope with that namespace; empty for all
	 * @return how far; called by a handler, it waits for a list that is just being stored
	 */
	public Filling filling(String namespace) {
		Filling seen = this.firstLists.filling(namespace);
		return (seen == Filling.FILLING && this.dispatcher.isCurrent())
				? this.store.read((view) -> this.firstLists.filling(namespace)) : seen;
	}

	/**
	 * Completes when the first list of a part is there, was refused or will not come, see
	 * {@link #filling}. Cancel the future when nobody waits any more.
	 * @param namespace the part of the scope with that namespace; empty for all
	 * @return completes on a thread of the informer, which must not be blocked
	 */
	public CompletableFuture<Void> settled(String namespace) {
		return this.firstLists.settled(namespace);
	}

	/**
	 * Whether the calling thread is one of the informer, so that the store does not catch
	 * up as long as it waits.
	 * @return whether it is that of the handlers, or one that lists and watches
	 */
	public boolean isOwnThread() {
		return this.dispatcher.isCurrent() || this.listing.contains(Thread.currentThread());
	}

	/**
	 * Completes when the store holds the state of the scope at some moment after this
	 * call, or a later one, and the handlers have had all of it. Costs one list of
	 * metadata. Tries until it succeeds or the informer is closed; bound it with
	 * {@code orTimeout}. Completes on the thread of the handlers, which must not be
	 * blocked.
	 * @return the future
	 */
	public CompletableFuture<Void> refresh() {
		return refresh((failure) -> {
		});
	}

	/**
	 * The same for somebody who wants to know why it takes long. Cancel the future when
	 * nobody waits any more.
	 * @param failed is told, each time that the API server has failed to answer some
	 * attempts, on any thread
	 * @return the future
	 */
	public CompletableFuture<Void> refresh(Consumer<ApiException> failed) {
		return this.refresher.refresh(failed);
	}

	/**
	 * As {@link #refresh()}, for somebody who waits: fails with what the API server
	 * answered after three attempts. To cancel the future is to wait no longer; questions
	 * for which nobody waits are called off.
	 * @return what it took
	 */
	public CompletableFuture<CatchUp> catchUp() {
		return this.refresher.catchUp();
	}

	/**
	 * As {@link #catchUp()}, for somebody who needs only what a selector selects.
	 * @param query the selector
	 * @return what it took, and what was selected where the rest of the store may be
	 * older
	 */
	public CompletableFuture<CaughtUp<T>> catchUp(LabelQuery query) {
		return this.selectedCatchUps.catchUp(query);
	}

	/**
	 * How long the API server wants to be left alone, as it said when it was last asked
	 * to have the store caught up.
	 * @return a positive duration, or {@code null} if it may be asked
	 */
	public @Nullable Duration retryAfter() {
		return this.refresher.retryAfter();
	}

	/**
	 * Completes when the store holds everything up to a version. Asks nobody: events and
	 * bookmarks tell. Cancel the future when nobody waits any more.
	 * @param version a comparable version of the resource
	 * @return completes on a thread of the informer, which must not be blocked
	 */
	public CompletableFuture<Void> reached(String version) {
		return this.versionWaits.reached(version);
	}

	/**
	 * The same for something that was just written into the scope, so that its event must
	 * be on its way: a watch that does not tell of it in time is opened anew, however
	 * long it would pause after its own failures, and then the scope is listed anew.
	 * @param version the version of what was written
	 * @param namespace where; empty for all
	 * @return completes on a thread of the informer, which must not be blocked
	 */
	public CompletableFuture<Void> told(String version, String namespace) {
		return this.versionWaits.told(version, namespace);
	}

	/**
	 * Compares the store with what the API server had at the store's watermark, by a list
	 * of metadata for each namespace. Where they differ, the scope is listed anew.
	 * @return the results; does not fail
	 */
	public CompletableFuture<List<CheckResult>> check() {
		List<CompletableFuture<CheckResult>> checks = this.reflectors.stream().map(InconsistencyCheck::run).toList();
		return CompletableFuture.allOf(checks.toArray(CompletableFuture<?>[]::new))
			.thenApply((done) -> checks.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * Compares what a read was answered with with what the API server had at the version
	 * that the store had then, by a list of metadata. Where they differ, the scope is
	 * listed anew.
	 * @param served the answer
	 * @return the result; does not fail
	 */
	public CompletableFuture<CheckResult> check(ServedRead served) {
		Reflector<T> asked = this.reflectors.stream()
			.filter((reflector) -> reflector.part().namespace().equals(served.namespace()))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"No part of %s for namespace '%s'".formatted(this.name, served.namespace())));
		return InconsistencyCheck.run(asked, served);
	}

	/**
	 * How the informer fares.
	 * @return a snapshot
	 */
	public InformerStatus status() {
		InformerStatus worst = null;
		for (Reflector<T> reflector : this.reflectors) {
			InformerStatus one = status(reflector);
			worst = (worst != null) ? worst.and(one) : one;
		}
		if (worst == null) {
			throw new IllegalStateException("Informer without a reflector");
		}
		return worst.with(this.store);
	}

	private InformerStatus status(Reflector<T> reflector) {
		ReflectorStatus status = reflector.status();
		StorePart<T> part = reflector.part();
		return new InformerStatus(part.watermark() != null, status.isWatching(), status.failingSince(),
				status.failingFor(), status.isRefused(), status.isUnanswered(), status.lastError(), null, 0,
				part.relists(), part.undecodable().size(), 0);
	}

	private void happened(InformerEvent<T> event) {
		for (InformerHandler<T> observer : this.observers) {
			this.dispatcher.call(observer, event);
		}
		this.dispatcher.submit(event);
		if (event instanceof InformerEvent.RelistFinished && !this.synced.isDone()
				&& this.store.parts().stream().allMatch((part) -> part.watermark() != null)) {
			this.dispatcher.submit(() -> this.synced.complete(null));
		}
	}

	private void statusChanged() {
		this.firstLists.changed();
		if (this.reflectors.stream().allMatch((reflector) -> reflector.status().isWatching())) {
			this.refresher.wakePaused();
		}
		if (!this.statusListeners.isEmpty()) {
			this.dispatcher.submit(() -> {
				InformerStatus status = status();
				this.statusListeners.forEach((listener) -> listener.accept(status));
			});
		}
	}

}
