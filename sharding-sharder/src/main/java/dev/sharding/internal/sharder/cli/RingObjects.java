package dev.sharding.internal.sharder.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.InvalidShardingKeyException;
import dev.sharding.internal.core.key.ObjectIdentity;
import dev.sharding.internal.core.key.OwnerRef;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.core.key.ShardingKeys;
import dev.sharding.internal.kubernetes.resource.ResourceAbsentException;
import dev.sharding.internal.kubernetes.resource.ResourceDiscovery;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.diagnosis.ObservedObject;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadataList;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a ring: metadata only, by pages.
 */
final class RingObjects {

	private static final int PAGE = 500;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final Cluster cluster;

	private final String ring;

	private final NamespaceFilter namespaces;

	private final Map<ResourceType<GenericKubernetesResource>, ResourceRole> resources = new LinkedHashMap<>();

	RingObjects(Cluster cluster, ControllerRing ring) {
		this.cluster = cluster;
		this.ring = ring.getMetadata().getName();
		this.namespaces = cluster.namespaces(ring);
		Map<GroupResource, ResourceRole> listed = new LinkedHashMap<>();
		ring.getSpec()
			.resources()
			.forEach((main) -> listed.put(new GroupResource(main.group(), main.resource()), ResourceRole.MAIN));
		ring.getSpec()
			.resources()
			.forEach(
					(main) -> main.controlledResources()
						.forEach((controlled) -> listed.putIfAbsent(
								new GroupResource(controlled.group(), controlled.resource()),
								ResourceRole.CONTROLLED)));
		ResourceDiscovery discovery = new ResourceDiscovery(cluster.client());
		listed.forEach((resource, role) -> {
			ResourceType<GenericKubernetesResource> type = discovery.find(resource)
				.exceptionally(RingObjects::absent)
				.join();
			if (type != null) {
				this.resources.put(type, role);
			}
		});
	}

	/* The status of the ring tells of these. */
	private static @Nullable ResourceType<GenericKubernetesResource> absent(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof ResourceAbsentException) {
			return null;
		}
		throw ApiException.of(failure);
	}

	/** Lists main resources, then controlled ones. */
	Map<ResourceType<GenericKubernetesResource>, ResourceRole> resources() {
		return this.resources;
	}

	ResourceType<GenericKubernetesResource> resource(String name) {
		return this.resources.keySet()
			.stream()
			.filter((type) -> type.groupResource().toString().equals(name) || type.plural().equals(name)
					|| type.kind().equalsIgnoreCase(name))
			.findFirst()
			.orElseThrow(
					() -> new CommandFailure("Ring '%s' does not list the resource '%s', but %s".formatted(this.ring,
							name, this.resources.keySet().stream().map(ResourceType::groupResource).toList())));
	}

	/** Reads one object; {@code null} if there is none. */
	@Nullable ObservedObject find(ResourceType<GenericKubernetesResource> type, String namespace, String name) {
		PartialObjectMetadata found = this.cluster.get(
				ApiRequest.of("GET", type.path(namespace, name)).accept(MediaTypes.METADATA),
				PartialObjectMetadata.class);
		return (found != null) ? observed(type, found.getMetadata()) : null;
	}

	/** Whether the ring shares out the objects of a namespace. */
	boolean includes(String namespace) {
		return this.namespaces.includes(namespace);
	}

	/** Lists all objects of all resources. */
	void all(Consumer<ObservedObject> consumer) {
		this.resources.keySet().forEach((type) -> list(type, null, consumer));
	}

	/** Lists the objects of one resource. */
	void list(ResourceType<GenericKubernetesResource> type, @Nullable String selector,
			Consumer<ObservedObject> consumer) {
		String token = null;
		do {
			PartialObjectMetadataList page = this.cluster.serialization()
				.unmarshal(this.cluster.requests()
					.call(ApiRequest.of("GET", type.path(null, null))
						.accept(MediaTypes.METADATA_LIST)
						.timeout(TIMEOUT)
						.query("limit", String.valueOf(PAGE))
						.query("labelSelector", selector)
						.query("continue", token))
					.stream(), PartialObjectMetadataList.class);
			// An empty list of metadata comes as null.
			List<PartialObjectMetadata> items = (page.getItems() != null) ? page.getItems() : List.of();
			for (PartialObjectMetadata item : items) {
				String namespace = item.getMetadata().getNamespace();
				if (includes((namespace != null) ? namespace : "")) {
					consumer.accept(observed(type, item.getMetadata()));
				}
			}
			token = page.getMetadata().getContinue();
		}
		while (token != null && !token.isEmpty());
	}

	private ObservedObject observed(ResourceType<GenericKubernetesResource> type, ObjectMeta metadata) {
		ResourceRole role = this.resources.getOrDefault(type, ResourceRole.MAIN);
		Map<String, String> labels = (metadata.getLabels() != null) ? metadata.getLabels() : Map.of();
		String namespace = (metadata.getNamespace() != null) ? metadata.getNamespace() : "";
		return new ObservedObject(type.groupResource().toString(), role, namespace, metadata.getName(),
				key(type, role, namespace, metadata), labels, changed(metadata),
				since(metadata, ShardingLabels.shard(this.ring)), since(metadata, ShardingLabels.drain(this.ring)));
	}

	private static @Nullable ShardingKey key(ResourceType<?> type, ResourceRole role, String namespace,
			ObjectMeta metadata) {
		List<OwnerRef> owners = (metadata.getOwnerReferences() != null) ? metadata.getOwnerReferences()
			.stream()
			.map((owner) -> new OwnerRef(owner.getApiVersion(), owner.getKind(), owner.getName(), owner.getUid(),
					Boolean.TRUE.equals(owner.getController())))
			.toList() : List.of();
		ObjectIdentity identity = new ObjectIdentity(type.apiVersion(), type.kind(), namespace, metadata.getName(),
				metadata.getGenerateName(), owners);
		try {
			return (role == ResourceRole.MAIN) ? ShardingKeys.ofMain(identity) : ShardingKeys.ofControlled(identity);
		}
		catch (InvalidShardingKeyException noKey) {
			return null;
		}
	}

	/* Who set a label says when he did, in whole seconds. */
	private static @Nullable Instant since(ObjectMeta metadata, String label) {
		if (metadata.getLabels() == null || !metadata.getLabels().containsKey(label)) {
			return null;
		}
		Instant latest = null;
		for (ManagedFieldsEntry entry : entries(metadata)) {
			latest = owns(entry, "f:" + label) ? later(latest, entry.getTime()) : latest;
		}
		return latest;
	}

	private static @Nullable Instant changed(ObjectMeta metadata) {
		Instant latest = later(null, metadata.getCreationTimestamp());
		for (ManagedFieldsEntry entry : entries(metadata)) {
			latest = later(latest, entry.getTime());
		}
		return latest;
	}

	private static List<ManagedFieldsEntry> entries(ObjectMeta metadata) {
		return (metadata.getManagedFields() != null) ? metadata.getManagedFields() : List.of();
	}

	private static boolean owns(ManagedFieldsEntry entry, String field) {
		return entry.getFieldsV1() != null
				&& entry.getFieldsV1().getAdditionalProperties().get("f:metadata") instanceof Map<?, ?> metadata
				&& metadata.get("f:labels") instanceof Map<?, ?> labels && labels.containsKey(field);
	}

	private static @Nullable Instant later(@Nullable Instant one, @Nullable String text) {
		if (text == null) {
			return one;
		}
		Instant other = OffsetDateTime.parse(text).toInstant();
		return (one != null && one.isAfter(other)) ? one : other;
	}

}
