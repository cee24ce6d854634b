package dev.sharding.internal.kubernetes.informer;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.sharding.internal.kubernetes.informer.store.Filing;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What an informer follows. Immutable; the methods return changed copies.
 *
 * @param <T> the class of the objects
 * @param type the resource; {@link ResourceType#metadata()} for metadata on the wire
 * @param namespaces the namespaces, each with its own list and watch; empty for all
 * @param labelSelector applied by the API server, or {@code null}
 * @param fieldSelector applied by the API server, or {@code null}
 * @param indexers index name to the values under which an object is found. They hold up
 * the informer as long as they run; where one fails or returns {@code null}, its index
 * does not find that object, which is logged and counted
 * @param keepManagedFields whether {@code metadata.managedFields} is stored
 * @param trim takes off an object what is not to be stored of it, or {@code null} if all
 * is. Must leave its name, namespace, uid and resource version; indexers see what it
 * leaves
 * @param timings how patient the informer is
 */
public record InformerSpec<T extends HasMetadata>(ResourceType<T> type, Set<String> namespaces,
		@Nullable String labelSelector, @Nullable String fieldSelector,
		Map<String, Function<T, Collection<String>>> indexers, boolean keepManagedFields, @Nullable Consumer<T> trim,
		InformerTimings timings) {

	public InformerSpec {
		if (!namespaces.isEmpty() && !type.namespaced()) {
			throw new IllegalArgumentException(
					"'namespaces' must be empty for %s, whose objects have none (is %s)".formatted(type, namespaces));
		}
		namespaces = Set.copyOf(namespaces);
		indexers = Map.copyOf(indexers);
	}

	/**
	 * Everything of a resource.
	 * @param <T> the class of the objects
	 * @param type the resource
	 * @return the specification
	 */
	public static <T extends HasMetadata> InformerSpec<T> of(ResourceType<T> type) {
		return new InformerSpec<>(type, Set.of(), null, null, Map.of(), false, null, InformerTimings.DEFAULT);
	}

	/**
	 * Only these namespaces.
	 * @param names the namespaces; none for all
	 * @return the specification
	 */
	public InformerSpec<T> inNamespaces(Collection<String> names) {
		return new InformerSpec<>(this.type, new TreeSet<>(names), this.labelSelector, this.fieldSelector,
				this.indexers, this.keepManagedFields, this.trim, this.timings);
	}

	/**
	 * Only objects with these labels.
	 * @param selector in the API server's syntax, or {@code null}
	 * @return the specification
	 */
	public InformerSpec<T> withLabelSelector(@Nullable String selector) {
		return new InformerSpec<>(this.type, this.namespaces, selector, this.fieldSelector, this.indexers,
				this.keepManagedFields, this.trim, this.timings);
	}

	/**
	 * Only objects with these fields.
	 * @param selector in the API server's syntax, or {@code null}
	 * @return the specification
	 */
	public InformerSpec<T> withFieldSelector(@Nullable String selector) {
		return new InformerSpec<>(this.type, this.namespaces, this.labelSelector, selector, this.indexers,
				this.keepManagedFields, this.trim, this.timings);
	}

	/**
	 * With one more index.
	 * @param name its name
	 * @param values object to the values under which it is found
	 * @return the specification
	 */
	public InformerSpec<T> withIndex(String name, Function<T, Collection<String>> values) {
		Map<String, Function<T, Collection<String>>> extended = new LinkedHashMap<>(this.indexers);
		extended.put(name, values);
		return new InformerSpec<>(this.type, this.namespaces, this.labelSelector, this.fieldSelector, extended,
				this.keepManagedFields, this.trim, this.timings);
	}

	/**
	 * Tells which objects an index files under a value: none that its function fails for.
	 * @param index the name of the index
	 * @param value the value
	 * @return tells of an object; does not fail
	 * @throws IllegalArgumentException if there is no such index
	 */
	public Predicate<T> filedUnder(String index, String value) {
		Function<T, Collection<String>> function = this.indexers.get(index);
		if (function == null) {
			throw new IllegalArgumentException("No index '%s' (there are %s)".formatted(index, this.indexers.keySet()));
		}
		return (object) -> Filing.of(function, object).values().contains(value);
	}

	/**
	 * With or without managed fields.
	 * @param keep whether they are stored
	 * @return the specification
	 */
	public InformerSpec<T> keepManagedFields(boolean keep) {
		return new InformerSpec<>(this.type, this.namespaces, this.labelSelector, this.fieldSelector, this.indexers,
				keep, this.trim, this.timings);
	}

	/**
	 * With only a part of each object stored.
	 * @param with takes off an object what is not to be stored of it
	 * @return the specification
	 */
	public InformerSpec<T> trimmed(Consumer<T> with) {
		return new InformerSpec<>(this.type, this.namespaces, this.labelSelector, this.fieldSelector, this.indexers,
				this.keepManagedFields, with, this.timings);
	}

	/**
	 * With other patience.
	 * @param other the timings
	 * @return the specification
	 */
	public InformerSpec<T> withTimings(InformerTimings other) {
		return new InformerSpec<>(this.type, this.namespaces, this.labelSelector, this.fieldSelector, this.indexers,
				this.keepManagedFields, this.trim, other);
	}

}
