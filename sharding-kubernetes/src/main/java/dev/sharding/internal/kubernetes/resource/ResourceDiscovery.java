package dev.sharding.internal.kubernetes.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GroupVersionForDiscovery;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Asks the API server which version, kind and scope a resource has. Every call asks anew,
 * as resources come and go.
 */
public final class ResourceDiscovery {

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	/**
	 * Creates the discovery over {@code client}.
	 * @param client the connection
	 */
	public ResourceDiscovery(KubernetesClient client) {
		this.requests = new ApiRequests(client);
		this.serialization = client.getKubernetesSerialization();
	}

	/**
	 * Finds {@code wanted} in its group's preferred version, or in the first of the
	 * others that serves it.
	 * @param wanted the resource
	 * @return the resource as the API server serves it; fails with
	 * {@link ResourceAbsentException} if it does not, with {@link ApiException} if it
	 * cannot be asked
	 */
	public CompletableFuture<ResourceType<GenericKubernetesResource>> find(GroupResource wanted) {
		if (wanted.resource().indexOf('/') >= 0) {
			// Discovery lists subresources too, such as pods/status.
			return CompletableFuture.failedFuture(new ResourceAbsentException(wanted));
		}
		if (wanted.group().isEmpty()) {
			return search(wanted, List.of("v1"), 0);
		}
		return get("/apis/" + wanted.group(), APIGroup.class).exceptionally((failure) -> {
			throw absentIfNotFound(failure, wanted);
		}).thenCompose((group) -> search(wanted, versions(group), 0));
	}

	private CompletableFuture<ResourceType<GenericKubernetesResource>> search(GroupResource wanted,
			List<String> versions, int index) {
		if (index == versions.size()) {
			return CompletableFuture.failedFuture(new ResourceAbsentException(wanted));
		}
		String version = versions.get(index);
		String path = wanted.group().isEmpty() ? "/api/" + version : "/apis/" + wanted.group() + "/" + version;
		return get(path, APIResourceList.class).thenCompose((list) -> {
			for (APIResource resource : list.getResources()) {
				if (resource.getName().equals(wanted.resource())) {
					return CompletableFuture
						.completedFuture(new ResourceType<>(GenericKubernetesResource.class, wanted.group(), version,
								wanted.resource(), resource.getKind(), Boolean.TRUE.equals(resource.getNamespaced())));
				}
			}
			return search(wanted, versions, index + 1);
		});
	}

	private <V> CompletableFuture<V> get(String path, Class<V> type) {
		return this.requests.send(ApiRequest.of("GET", path))
			.thenApply((response) -> this.serialization.unmarshal(response.stream(), type));
	}

	private static List<String> versions(APIGroup group) {
		List<String> versions = new ArrayList<>();
		if (group.getPreferredVersion() != null) {
			versions.add(group.getPreferredVersion().getVersion());
		}
		for (GroupVersionForDiscovery version : group.getVersions()) {
			if (!versions.contains(version.getVersion())) {
				versions.add(version.getVersion());
			}
		}
		return versions;
	}

	private static CompletionException absentIfNotFound(Throwable failure, GroupResource wanted) {
		ApiException exception = ApiException.of(failure);
		return new CompletionException((exception.status() == 404) ? new ResourceAbsentException(wanted) : exception);
	}

}
