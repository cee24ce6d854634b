package dev.sharding.internal.kubernetes.cache.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.ServedRead;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * A view for one read that keeps the first answer it gives, if the store stood still
 * meanwhile and no own writes were laid over it: only then there is a version at which
 * the API server must have shown the same.
 */
final class SampledView<T extends HasMetadata> implements StoreView<T> {

	private final OverlaidStore<T> store;

	private final StoreView<T> view;

	private boolean asked;

	private @Nullable ServedRead served;

	SampledView(OverlaidStore<T> store, StoreView<T> view) {
		this.store = store;
		this.view = view;
	}

	/** The answer, or {@code null} if there is none that can be compared. */
	@Nullable ServedRead served() {
		return this.served;
	}

	@Override
	public @Nullable T get(ObjectKey key) {
		return this.<@Nullable T>sampled(key.namespace(), key::equals, () -> this.view.get(key),
				(found) -> (found != null) ? List.of(found) : List.of());
	}

	@Override
	public List<T> list() {
		return sampled(null, (key) -> true, this.view::list, ArrayList::new);
	}

	@Override
	public List<T> list(String namespace) {
		return sampled(namespace, (key) -> key.namespace().equals(namespace), () -> this.view.list(namespace),
				ArrayList::new);
	}

	/* Which objects a value is of, the API server cannot tell. */
	@Override
	public List<T> byIndex(String index, String value) {
		return sampled(null, (key) -> false, () -> this.view.byIndex(index, value), ArrayList::new);
	}

	@Override
	public int size() {
		return this.view.size();
	}

	@Override
	public @Nullable ObjectMeta undecodable(ObjectKey key) {
		return this.view.undecodable(key);
	}

	@Override
	public List<ObjectMeta> undecodable() {
		return this.view.undecodable();
	}

	@Override
	public @Nullable String watermark() {
		return this.view.watermark();
	}

	@Override
	public @Nullable String watermark(String namespace) {
		return this.view.watermark(namespace);
	}

	private <R extends @Nullable Object> R sampled(@Nullable String namespace, Predicate<ObjectKey> wanted,
			Supplier<R> reading, Function<R, List<T>> objects) {
		if (this.asked) {
			return reading.get();
		}
		this.asked = true;
		String part = part(namespace);
		String before = this.store.settledAt(part);
		R answer = reading.get();
		if (before != null) {
			// The reader may do with its list what it likes.
			List<T> kept = objects.apply(answer);
			Set<ObjectKey> unfit = new HashSet<>();
			this.store.plain().undecodable().forEach((metadata) -> unfit.add(ObjectKey.of(metadata)));
			if (before.equals(this.store.settledAt(part))) {
				this.served = new ServedRead(part, before, wanted, kept, unfit);
			}
		}
		return answer;
	}

	/** Each part of a store has a version of its own, so one of them must do. */
	private String part(@Nullable String namespace) {
		List<String> parts = List.copyOf(this.store.informer().spec().namespaces());
		if (parts.isEmpty()) {
			return "";
		}
		return (namespace != null) ? namespace : parts.get(ThreadLocalRandom.current().nextInt(parts.size()));
	}

}
