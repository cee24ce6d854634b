package dev.sharding.internal.kubernetes.cache.overlay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.NamespaceNotCoveredException;
import dev.sharding.internal.core.overlay.ObjectAccess;
import dev.sharding.internal.core.overlay.ReadView;
import dev.sharding.internal.core.overlay.Sight;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.store.Store;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * The store of an informer as one sees it who knows the writes of this process. As long
 * as there are none under way it is the store.
 */
public final class OverlaidStore<T extends HasMetadata> implements StoreView<T> {

	private final Informer<T> informer;

	private final Store<T> store;

	private final CacheOverlay<T> overlay;

	private final ObjectAccess<ObjectKey, T> access;

	private final Deadline deadline;

	public OverlaidStore(Informer<T> informer, CacheOverlay<T> overlay, ObjectAccess<ObjectKey, T> access) {
		this(informer, overlay, access, new UsualPatience());
	}

	private OverlaidStore(Informer<T> informer, CacheOverlay<T> overlay, ObjectAccess<ObjectKey, T> access,
			Deadline deadline) {
		this.access = access;
		this.deadline = deadline;
		this.informer = informer;
		this.store = informer.store();
		this.overlay = overlay;
	}

	public CacheOverlay<T> overlay() {
		return this.overlay;
	}

	public Informer<T> informer() {
		return this.informer;
	}

	/** Whether the informer follows an object as it is. */
	public boolean isInScope(T object) {
		Set<String> namespaces = this.informer.spec().namespaces();
		return this.access.inScope(object)
				&& (namespaces.isEmpty() || namespaces.contains(object.getMetadata().getNamespace()));
	}

	/**
	 * Where a reader looks.
	 * @param asked the namespace that was asked for, or {@code null} for all
	 * @return the namespace, empty for all
	 * @throws NamespaceNotCoveredException if nobody here knows what is there
	 */
	public String covered(@Nullable String asked) {
		Set<String> namespaces = this.informer.spec().namespaces();
		if (asked != null && !namespaces.isEmpty() && !namespaces.contains(asked)) {
			throw new NamespaceNotCoveredException(this.informer.spec().type(), asked, namespaces);
		}
		return (asked != null) ? asked : "";
	}

	/** The same for a reader who waits no longer than that for what is in doubt. */
	public OverlaidStore<T> within(Deadline limit) {
		return new OverlaidStore<>(this.informer, this.overlay, this.access, limit);
	}

	/** What a reader sees, or that it is in doubt. Asks nobody. */
	public Sight<ObjectKey, T> sight(ObjectKey key) {
		Feed<T> feed = this.overlay.feed(key.namespace());
		return (feed != null) ? feed.sight(key) : new Sight.Known<>(this.store.get(key));
	}

	/**
	 * How far the part of a namespace is, {@code null} while own writes are laid over the
	 * store, or if it was never listed.
	 */
	public @Nullable String settledAt(String namespace) {
		// Under the lock, so that no change is half done.
		return this.overlay.isQuiet() ? this.store.<@Nullable String>read((view) -> view.watermark(namespace)) : null;
	}

	@Override
	public StoreView<T> plain() {
		return this.store;
	}

	@Override
	public @Nullable T get(ObjectKey key) {
		Feed<T> feed = this.overlay.feed(key.namespace());
		return (feed == null || feed.isQuiet()) ? this.store.get(key) : feed.get(key, this.deadline);
	}

	@Override
	public List<T> list() {
		return this.overlay.isQuiet() ? this.store.list()
				: corrected(this.overlay.feeds(), StoreView::list, (object) -> true);
	}

	@Override
	public List<T> list(String namespace) {
		Feed<T> feed = this.overlay.feed(namespace);
		return (feed == null || feed.isQuiet()) ? this.store.list(namespace) : corrected(List.of(feed),
				(view) -> view.list(namespace), (object) -> namespace.equals(object.getMetadata().getNamespace()));
	}

	@Override
	public List<T> byIndex(String index, String value) {
		return this.overlay.isQuiet() ? this.store.byIndex(index, value) : corrected(this.overlay.feeds(),
				(view) -> view.byIndex(index, value), this.informer.spec().filedUnder(index, value));
	}

	@Override
	public int size() {
		return this.overlay.isQuiet() ? this.store.size() : list().size();
	}

	@Override
	public @Nullable ObjectMeta undecodable(ObjectKey key) {
		ObjectMeta unfit = this.store.undecodable(key);
		if (unfit == null || this.overlay.isQuiet()) {
			return unfit;
		}
		T seen = get(key);
		boolean written = seen != null && ResourceVersions.compare(seen.getMetadata().getResourceVersion(),
				unfit.getResourceVersion()) == ResourceVersions.Order.AFTER;
		return written ? null : unfit;
	}

	@Override
	public List<ObjectMeta> undecodable() {
		List<ObjectMeta> unfit = this.store.undecodable();
		return (unfit.isEmpty() || this.overlay.isQuiet()) ? unfit
				: unfit.stream().filter((it) -> undecodable(ObjectKey.of(it)) != null).toList();
	}

	@Override
	public @Nullable String watermark() {
		return this.store.watermark();
	}

	@Override
	public @Nullable String watermark(String namespace) {
		return this.store.watermark(namespace);
	}

	private List<T> corrected(Collection<Feed<T>> feeds, Function<StoreView<T>, List<T>> reading,
			Predicate<T> predicate) {
		Deadline limit = this.deadline.begun();
		Map<Feed<T>, Long> marks = new LinkedHashMap<>();
		feeds.forEach((feed) -> marks.put(feed, feed.mark()));
		List<T> told = new ArrayList<>();
		while (true) {
			Map<Feed<T>, ReadView<ObjectKey, T>> corrections = new LinkedHashMap<>();
			marks.forEach((feed, mark) -> corrections.put(feed, feed.view(mark)));
			List<T> seen = new ArrayList<>(told);
			Map<Feed<T>, Sight.AskServer<ObjectKey, Collection<T>>> doubts = this.store
				.read((view) -> read(view, reading.apply(view), corrections, predicate, seen));
			if (doubts.isEmpty()) {
				return seen;
			}
			doubts.forEach((feed, doubt) -> feed.ask(doubt, null, Objects.requireNonNull(marks.get(feed)), limit)
				.ifPresent((scope) -> {
					marks.remove(feed);
					scope.stream().filter(predicate).forEach(told::add);
				}));
		}
	}

	/** Adds what is known to {@code seen}, and returns what is in doubt. */
	private Map<Feed<T>, Sight.AskServer<ObjectKey, Collection<T>>> read(StoreView<T> view, List<T> matches,
			Map<Feed<T>, ReadView<ObjectKey, T>> corrections, Predicate<T> predicate, List<T> seen) {
		Map<Feed<T>, Sight.AskServer<ObjectKey, Collection<T>>> doubts = new LinkedHashMap<>();
		corrections.forEach((feed, correction) -> {
			Sight<ObjectKey, Collection<T>> sight = correction.list(part(feed, matches), predicate, view::get,
					view.watermark(feed.namespace()));
			if (sight instanceof Sight.AskServer<ObjectKey, Collection<T>> ask) {
				doubts.put(feed, ask);
			}
			else {
				seen.addAll(Objects.requireNonNull(((Sight.Known<ObjectKey, Collection<T>>) sight).result()));
			}
		});
		return doubts;
	}

	private static <S extends HasMetadata> Collection<S> part(Feed<S> feed, List<S> matches) {
		return feed.namespace().isEmpty() ? matches
				: matches.stream()
					.filter((object) -> feed.namespace().equals(object.getMetadata().getNamespace()))
					.toList();
	}

}
