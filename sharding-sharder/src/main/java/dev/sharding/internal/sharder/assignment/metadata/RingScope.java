package dev.sharding.internal.sharder.assignment.metadata;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import org.jspecify.annotations.Nullable;

/**
 * What is shared out: the resources of one generation of a ring, as far as the API server
 * serves them.
 *
 * @param ring the name of the ring
 * @param resources each main resource with its controlled resources; a resource that is a
 * main resource is nowhere a controlled one
 * @param namespaces whose objects are shared out
 * @param unknownGroups the groups of main resources that were not found
 */
public record RingScope(String ring, Map<ShardedResource, List<ShardedResource>> resources, NamespaceFilter namespaces,
		Set<String> unknownGroups) {

	public RingScope {
		resources = new LinkedHashMap<>(resources);
	}

	/**
	 * Returns all resources.
	 * @return main and controlled ones
	 */
	public Set<ShardedResource> all() {
		Set<ShardedResource> all = new LinkedHashSet<>(this.resources.keySet());
		this.resources.values().forEach(all::addAll);
		return all;
	}

	public Set<ShardedResource> main() {
		return this.resources.keySet();
	}

	/** The resource of a main object; {@code null} if none is known. */
	public @Nullable ShardedResource mainOf(ShardingKey main) {
		return this.resources.keySet()
			.stream()
			.filter((resource) -> resource.type().kind().equals(main.kind())
					&& resource.type().group().equals(main.group()))
			.findFirst()
			.orElse(null);
	}

	public List<ShardedResource> controlled() {
		Set<ShardedResource> all = new LinkedHashSet<>();
		this.resources.values().forEach(all::addAll);
		return new ArrayList<>(all);
	}

	public boolean hasControlled(ShardedResource main) {
		return !this.resources.getOrDefault(main, List.of()).isEmpty();
	}

	/** What the API server is to leave out of lists and watches of a resource. */
	@Nullable String fieldSelector(ShardedResource resource) {
		return resource.type().namespaced() ? this.namespaces.fieldSelector() : null;
	}

}
