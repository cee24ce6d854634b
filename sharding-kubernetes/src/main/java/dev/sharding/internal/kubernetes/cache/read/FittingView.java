package dev.sharding.internal.kubernetes.cache.read;

import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * A view without the old states of objects that do not fit their class any more.
 *
 * @param view the view
 */
record FittingView<T extends HasMetadata>(StoreView<T> view) implements StoreView<T> {

	@Override
	public @Nullable T get(ObjectKey key) {
		return (this.view.undecodable(key) == null) ? this.view.get(key) : null;
	}

	@Override
	public List<T> list() {
		return fitting(this.view.list());
	}

	@Override
	public List<T> list(String namespace) {
		return fitting(this.view.list(namespace));
	}

	@Override
	public List<T> byIndex(String index, String value) {
		return fitting(this.view.byIndex(index, value));
	}

	@Override
	public int size() {
		return list().size();
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

	private List<T> fitting(List<T> objects) {
		return objects.stream().filter((object) -> this.view.undecodable(ObjectKey.of(object)) == null).toList();
	}

}
