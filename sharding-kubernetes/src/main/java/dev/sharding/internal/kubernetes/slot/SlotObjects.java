package dev.sharding.internal.kubernetes.slot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.PartialObjectMetadataList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;

/**
 * Asks for the objects of slots without caching any. All methods block, and fail with
 * {@link dev.sharding.client.ApiException}.
 */
public final class SlotObjects {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final Supplier<Collection<ResourceType<?>>> types;

	private final Set<String> namespaces;

	private final String label;

	/**
	 * Creates it.
	 * @param requests asks the API server, without a guard
	 * @param serialization reads the answers
	 * @param types the main and controlled resources of the ring
	 * @param namespaces the namespaces that the shard watches; empty for all
	 * @param ring the name of the ControllerRing
	 */
	public SlotObjects(ApiRequests requests, KubernetesSerialization serialization,
			Supplier<Collection<ResourceType<?>>> types, Set<String> namespaces, String ring) {
		this.requests = requests;
		this.serialization = serialization;
		this.types = types;
		this.namespaces = namespaces;
		this.label = ShardingLabels.shard(ring);
	}

	/** Whether any object bears the label of a slot now. */
	boolean any(String slot) {
		for (ResourceType<?> type : this.types.get()) {
			for (String namespace : places(type)) {
				PartialObjectMetadataList found = this.serialization.unmarshal(
						this.requests.call(first(type, namespace).query("labelSelector", this.label + "=" + slot))
							.stream(),
						PartialObjectMetadataList.class);
				if (found.getItems() != null && !found.getItems().isEmpty()) {
					return true;
				}
			}
		}
		return false;
	}

	/** Fails if a resource of the ring cannot be listed. */
	void tryToList() {
		for (ResourceType<?> type : this.types.get()) {
			for (String namespace : places(type)) {
				this.requests.call(first(type, namespace));
			}
		}
	}

	private List<String> places(ResourceType<?> type) {
		return (type.namespaced() && !this.namespaces.isEmpty()) ? new ArrayList<>(this.namespaces) : List.of("");
	}

	private static ApiRequest first(ResourceType<?> type, @Nullable String namespace) {
		return ApiRequest.of("GET", type.path((namespace != null && !namespace.isEmpty()) ? namespace : null, null))
			.query("limit", "1")
			.accept(MediaTypes.METADATA_LIST)
			.within(PATIENCE)
			.exempted();
	}

}
