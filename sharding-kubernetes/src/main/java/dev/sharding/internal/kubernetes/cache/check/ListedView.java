package dev.sharding.internal.kubernetes.cache.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ObjectKey;

/**
 * What the API server listed.
 */
public final class ListedView<T extends HasMetadata> implements StoreView<T> {

	private final Map<ObjectKey, T> objects = new LinkedHashMap<>();

	private final List<ObjectMeta> undecodable;

	private final String version;

	private final Map<String, String> versions;

	private final InformerSpec<T> spec;

	public ListedView(List<T> objects, List<ObjectMeta> undecodable, String version, InformerSpec<T> spec) {
		this(objects, undecodable, version, Map.of(), spec);
	}

	/**
	 * Creates the view.
	 * @param version what all of it has reached
	 * @param versions what each namespace that was listed alone has reached
	 */
	public ListedView(List<T> objects, List<ObjectMeta> undecodable, String version, Map<String, String> versions,
			InformerSpec<T> spec) {
		objects.forEach((object) -> this.objects.put(ObjectKey.of(object), object));
		this.undecodable = List.copyOf(undecodable);
		this.version = version;
		this.versions = Map.copyOf(versions);
		this.spec = spec;
	}

	@Override
	public @Nullable T get(ObjectKey key) {
		return this.objects.get(key);
	}

	@Override
	public List<T> list() {
		return new ArrayList<>(this.objects.values());
	}

	@Override
	public List<T> list(String namespace) {
		return those((object) -> namespace.equals(object.getMetadata().getNamespace()));
	}

	@Override
	public List<T> byIndex(String index, String value) {
		return those(this.spec.filedUnder(index, value));
	}

	@Override
	public int size() {
		return this.objects.size();
	}

	@Override
	public @Nullable ObjectMeta undecodable(ObjectKey key) {
		return this.undecodable.stream().filter((unfit) -> ObjectKey.of(unfit).equals(key)).findFirst().orElse(null);
	}

	@Override
	public List<ObjectMeta> undecodable() {
		return this.undecodable;
	}

	@Override
	public String watermark() {
		return this.version;
	}

	@Override
	public String watermark(String namespace) {
		return this.versions.getOrDefault(namespace, this.version);
	}

	private List<T> those(Predicate<T> wanted) {
		return new ArrayList<>(this.objects.values().stream().filter(wanted).toList());
	}

}
