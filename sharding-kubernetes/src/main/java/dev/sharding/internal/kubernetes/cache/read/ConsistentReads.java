package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.ConsistentReadException.Reason;
import dev.sharding.cache.Freshness;
import dev.sharding.client.ApiException;
import dev.sharding.internal.core.overlay.Sight;
import dev.sharding.internal.core.read.Filling;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.cache.check.ReadMeters;
import dev.sharding.internal.kubernetes.cache.check.ReadSampler;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Finds what a reader may read from who asks for a freshness that memory alone cannot
 * promise.
 */
public final class ConsistentReads<T extends HasMetadata> {

	public static final Predicate<ObjectMeta> NONE = (unfit) -> false;

	/** Events take a few milliseconds; asking costs more than to wait this long. */
	private static final Duration EVENT = Duration.ofMillis(20);

	private final ResourceType<T> type;

	private final ResourceReader<T> reader;

	private final ConsistentReadSources<T> sources;

	private final ReadMeters meters;

	private final LongSupplier nanos;

	private final FirstList firstList;

	private final LiveReads<T> liveReads;

	private final ReadSampler sampler;

	public ConsistentReads(ResourceType<T> type, ResourceReader<T> reader, ConsistentReadSources<T> sources,
			ReadMeters meters, LongSupplier nanos, ReadSampler sampler) {
		this.type = type;
		this.reader = reader;
		this.sources = sources;
		this.meters = meters;
		this.nanos = nanos;
		this.firstList = new FirstList(type, nanos, meters);
		this.sampler = sampler;
		this.liveReads = new LiveReads<>(reader);
	}

	/**
	 * Reads; waits if the freshness asks for that. What {@code reading} has to ask about
	 * own writes in doubt is part of the wait.
	 * @param namespace where; empty for all
	 * @param wanted whether an object that does not fit its class should be in the
	 * answer, where memory has something older of it or nothing
	 * @throws ConsistentReadException if there was nothing to read from in time
	 * @throws CacheNotFilledException if memory was to answer and has never been filled
	 * @throws UndecodableException if something of the answer cannot be shown as it is
	 */
	public <R> R read(OverlaidStore<T> store, String namespace, Freshness freshness, Predicate<ObjectMeta> wanted,
			Function<StoreView<T>, R> reading) {
		return read(store, namespace, freshness, wanted, null, reading);
	}

	/**
	 * The same, where only what a selector selects is read.
	 * @param query selects at least what {@code reading} reads, or {@code null} if that
	 * may be anything
	 */
	<R> R read(OverlaidStore<T> store, String namespace, Freshness freshness, Predicate<ObjectMeta> wanted,
			@Nullable LabelQuery query, Function<StoreView<T>, R> reading) {
		if (freshness.isMemory()) {
			this.firstList.await(store.informer(), namespace, freshness);
			return this.sampler.read(store, freshness.isAny() ? store.plain() : patient(store, freshness), reading);
		}
		ConsistentReadSource<T> source = freshness.isLive() ? this.sources.live(store) : this.sources.of(store);
		String strategy = freshness.isLive() ? LiveReads.STRATEGY : ReadMeters.name(source.strategy());
		ReadWait wait = waitFor(freshness).asking(source::retryAfter);
		try {
			requireThatItCanCome(store, namespace, source, freshness, wait);
			Snapshot<T> fresh = wait.await(begin(store.within(wait), source, freshness, query));
			if (fresh.outcome().equals(LiveSource.OUTCOME)) {
				this.liveReads.learn(store, fresh.view());
			}
			R result = shown(store, fresh.view(), wait, wanted, reading);
			this.meters.read(strategy, fresh.outcome(), wait.waited());
			return result;
		}
		catch (UndecodableException ex) {
			this.meters.read(strategy, "undecodable", wait.waited());
			throw ex;
		}
		catch (ConsistentReadException ex) {
			this.meters.read(strategy, ReadMeters.name(ex.reason()), wait.waited());
			if (freshness.isOrLive() && ex.reason() != Reason.CANCELLED) {
				StoreView<T> live = live(store, wait);
				if (freshness.version() == null || !isBefore(live, freshness.version())) {
					return shown(store, live, wait.anew(), wanted, reading);
				}
			}
			throw ex;
		}
	}

	/** What has to be asked of own writes takes its own time where none was named. */
	private OverlaidStore<T> patient(OverlaidStore<T> store, Freshness freshness) {
		return (freshness.deadline() != null) ? store.within(waitFor(freshness)) : store;
	}

	private ReadWait waitFor(Freshness freshness) {
		return new ReadWait(this.type, this.nanos, freshness.limit(), freshness.cancellation());
	}

	/**
	 * Memory that the API server refuses to fill, or that catches up on the thread of the
	 * reader, would be waited for in vain.
	 */
	private void requireThatItCanCome(OverlaidStore<T> store, String namespace, ConsistentReadSource<T> source,
			Freshness freshness, ReadWait wait) {
		if (source.strategy() == ReadStrategy.LIVE) {
			return;
		}
		if (store.informer().filling(namespace) == Filling.REFUSED) {
			throw wait.futile(this.firstList.refused(store.informer()));
		}
		String version = freshness.version();
		boolean atHand = !freshness.isLatest() && version != null && hasReached(store, version);
		if (!atHand && store.informer().isOwnThread()) {
			throw wait.onThreadInNeed();
		}
	}

	/**
	 * Waits until the store of a cache was filled once.
	 * @throws CacheNotFilledException if that does not come in time
	 */
	public void requireFilled(OverlaidStore<T> store, String namespace) {
		this.firstList.await(store.informer(), namespace, Freshness.READ_YOUR_WRITES);
	}

	/** Keeps nothing of the stores so far, as the shard gets another name. */
	public void forgetStores() {
		this.sources.forget();
	}

	private <R> R shown(OverlaidStore<T> store, StoreView<T> view, ReadWait wait, Predicate<ObjectMeta> wanted,
			Function<StoreView<T>, R> reading) {
		// What is not wanted may still show in an older state that was.
		List<ObjectMeta> unfit = view.undecodable();
		while (true) {
			R result = unfit.isEmpty() ? this.sampler.read(store, view, reading)
					: reading.apply(new FittingView<>(view));
			List<ObjectMeta> after = view.undecodable();
			requireFit(after, wanted);
			// What did not fit, and does by now, may show as it was before that.
			if (Set.copyOf(after).equals(Set.copyOf(unfit))) {
				return result;
			}
			wait.requireTime();
			unfit = after;
		}
	}

	private void requireFit(List<ObjectMeta> undecodable, Predicate<ObjectMeta> wanted) {
		undecodable.stream().filter(wanted).findFirst().ifPresent((unfit) -> {
			throw new UndecodableException(this.type, unfit);
		});
	}

	private StoreView<T> live(OverlaidStore<T> store, ReadWait before) {
		ConsistentReadSource<T> source = this.sources.live(store);
		ReadWait wait = before.anew().asking(source::retryAfter);
		try {
			StoreView<T> view = wait.await(source.read()).view();
			this.meters.read("live", "fallback", wait.waited());
			this.liveReads.learn(store, view);
			return view;
		}
		catch (ConsistentReadException ex) {
			this.meters.read("live", ReadMeters.name(ex.reason()), wait.waited());
			throw ex;
		}
	}

	private CompletableFuture<Snapshot<T>> begin(OverlaidStore<T> store, ConsistentReadSource<T> source,
			Freshness freshness, @Nullable LabelQuery query) {
		String version = freshness.version();
		if (version == null) {
			return (query != null) ? source.read(query) : source.read();
		}
		CompletableFuture<Snapshot<T>> fresh = new CompletableFuture<>();
		if (freshness.isLatest()) {
			ask(store, source, version, store.plain(), fresh);
		}
		else if (hasReached(store, version)) {
			fresh.complete(new Snapshot<>(store, "memory"));
		}
		else if (source.strategy() == ReadStrategy.LIVE) {
			ask(store, source, version, store, fresh);
		}
		else {
			awaitVersion(store, version, store, fresh);
			// The event is usually on its way; only if it does not come the API server is
			// asked.
			ProtocolThreads.later(EVENT, () -> {
				if (!fresh.isDone()) {
					ask(store, source, version, store, fresh);
				}
			});
		}
		return fresh;
	}

	/*
	 * The present is not older than any version that was given out. One from somewhere
	 * else it may not have reached, and must not pass for.
	 */
	private void ask(OverlaidStore<T> store, ConsistentReadSource<T> source, String version, StoreView<T> memory,
			CompletableFuture<Snapshot<T>> fresh) {
		CompletableFuture<Snapshot<T>> read = source.read();
		fresh.whenComplete((done, failure) -> read.cancel(false));
		read.whenComplete((found, failure) -> {
			if (failure != null) {
				fresh.completeExceptionally(failure);
			}
			else if (isBefore(found.view(), version)) {
				awaitVersion(store, version, memory, fresh);
			}
			else {
				fresh.complete((found.view() == store.plain()) ? new Snapshot<>(memory, found.outcome()) : found);
			}
		});
	}

	private void awaitVersion(OverlaidStore<T> store, String version, StoreView<T> memory,
			CompletableFuture<Snapshot<T>> fresh) {
		CompletableFuture<Void> reached = store.informer().reached(version);
		reached.whenComplete((done, failure) -> {
			if (failure == null) {
				fresh.complete(new Snapshot<>(memory, "watch"));
			}
			else {
				// The informer is closed: nothing else would end the wait.
				fresh.completeExceptionally(failure);
			}
		});
		fresh.whenComplete((done, failure) -> reached.cancel(false));
	}

	/**
	 * Reads one object from the API server, and hands what it saw to the cache, so that
	 * no later read shows something older. An answer that there is none has no version.
	 * It is kept for the object that the cache showed before, whose uid never comes back;
	 * one that was created and removed again before its events came may show in later
	 * reads that need not be consistent.
	 */
	public Optional<T> get(OverlaidStore<T> store, ObjectKey key, Freshness freshness) {
		ResourceReader<T> reader = freshness.isLive() ? this.liveReads.reader() : this.reader;
		String strategy = freshness.isLive() ? LiveReads.STRATEGY : "quorum";
		ReadWait wait = waitFor(freshness).asking(reader::retryAfter);
		try {
			// Before the question, so that the answer is about this one or a later one.
			Sight<ObjectKey, T> before = store.sight(key);
			T last = known(before);
			T answer = ask(reader, key, wait);
			if (answer != null) {
				store.overlay().handInSeen(answer);
			}
			else if (last != null) {
				store.overlay().handInGone(last);
			}
			if (answer != null && store.isInScope(answer)) {
				this.meters.read(strategy, "found", wait.waited());
				return Optional.of(answer);
			}
			if (!freshness.isOrLive() && mayBeOlder(known(store.sight(key)), answer, before)) {
				if (store.informer().isOwnThread()) {
					throw wait.onThreadInNeed();
				}
				wait.asking(store.informer()::retryAfter).await(store.informer().catchUp());
			}
			this.meters.read(strategy, "absent", wait.waited());
			return Optional.empty();
		}
		catch (ConsistentReadException ex) {
			this.meters.read(strategy, ReadMeters.name(ex.reason()), wait.waited());
			throw ex;
		}
		catch (UndecodableException ex) {
			this.meters.read(strategy, "undecodable", wait.waited());
			throw ex;
		}
	}

	private static <S> @Nullable S known(Sight<ObjectKey, S> sight) {
		return (sight instanceof Sight.Known<ObjectKey, S> known) ? known.result() : null;
	}

	/*
	 * What the next reader sees: nothing, or a doubt, for which it asks itself, is not
	 * older than the answer. Neither is a namesake of which an event has told meanwhile.
	 */
	private static <S extends HasMetadata> boolean mayBeOlder(@Nullable S seen, @Nullable S answer,
			Sight<ObjectKey, S> before) {
		if (seen == null) {
			return false;
		}
		if (answer != null) {
			return ResourceVersions.compare(seen.getMetadata().getResourceVersion(),
					answer.getMetadata().getResourceVersion()) != Order.AFTER;
		}
		S last = known(before);
		return !(before instanceof Sight.Known)
				|| (last != null && Objects.equals(last.getMetadata().getUid(), seen.getMetadata().getUid()));
	}

	private @Nullable T ask(ResourceReader<T> reader, ObjectKey key, ReadWait wait) {
		try {
			return wait.await(reader.get(key, wait.left()));
		}
		catch (ConsistentReadException ex) {
			if (ex.getCause() instanceof ApiException cause && cause.isNotFound(key.name())) {
				return null;
			}
			throw ex;
		}
	}

	/**
	 * Versions without an order cannot tell; what was read as the latest is taken for it.
	 */
	private static boolean isBefore(StoreView<?> view, String version) {
		return ResourceVersions.compare(view.watermark(), version) == Order.BEFORE;
	}

	private static boolean hasReached(OverlaidStore<?> store, String version) {
		Order order = ResourceVersions.compare(store.watermark(), version);
		return order == Order.SAME || order == Order.AFTER;
	}

}
