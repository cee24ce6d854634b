package dev.sharding.internal.sharder.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.SharderOptions;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.internal.sharder.shardlease.LeaseMembership;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.shardlease.Membership;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.DefaultKubernetesResourceList;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceList;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * What the commands read of a cluster, and what they write there.
 */
final class Cluster implements AutoCloseable {

	static final ResourceType<ControllerRing> RINGS = ResourceType.of(ControllerRing.class);

	private static final ResourceType<Lease> LEASES = ResourceType.of(Lease.class);

	private static final int PAGE = 500;

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final @Nullable String namespace;

	private final LeaseTrust trust;

	Cluster(KubernetesClient client, @Nullable String namespace, Duration longest) {
		this.client = client;
		this.requests = new ApiRequests(client);
		this.namespace = namespace;
		this.trust = new LeaseTrust(longest, (namespace != null) ? Set.of(namespace) : Set.of());
	}

	KubernetesClient client() {
		return this.client;
	}

	ApiRequests requests() {
		return this.requests;
	}

	KubernetesSerialization serialization() {
		return this.client.getKubernetesSerialization();
	}

	List<ControllerRing> rings() {
		List<ControllerRing> rings = new ArrayList<>();
		pages(RINGS.path(null, null), null, RingList.class, rings);
		return rings;
	}

	ControllerRing ring(String name) {
		ControllerRing ring = get(RINGS.path(null, name), ControllerRing.class);
		if (ring == null) {
			throw new CommandFailure("There is no ControllerRing '%s'".formatted(name));
		}
		return ring;
	}

	/** All Leases of a ring, or of all rings. */
	List<Lease> leases(@Nullable String ring) {
		List<Lease> leases = new ArrayList<>();
		pages(LEASES.path(this.namespace, null),
				(ring != null) ? ShardingLabels.leaseSelector(ring) : ShardingLabels.LEASE_RING, LeaseList.class,
				leases);
		return leases;
	}

	Membership membership(List<Lease> leases, Instant now) {
		return LeaseMembership.of(leases, this.trust, now);
	}

	static List<Shard> shards(List<Lease> leases) {
		return leases.stream()
			.map((lease) -> new Shard(lease.getMetadata().getNamespace(), LeaseRecords.slotLease(lease),
					ShardingLabels.isSet(lease.getMetadata().getAnnotations(), ShardingLabels.CORDONED), podOf(lease),
					null))
			.toList();
	}

	/*
	 * Unless somebody configured another name, a shard without slots has that of its pod.
	 */
	private static String podOf(Lease lease) {
		Map<String, String> labels = lease.getMetadata().getLabels();
		String pod = (labels != null) ? labels.get(ShardingLabels.POD) : null;
		return (pod != null) ? pod : lease.getMetadata().getName();
	}

	/** All objects of a namespace. */
	<T> List<T> all(String path, Class<? extends KubernetesResourceList<? extends T>> type) {
		List<T> found = new ArrayList<>();
		pages(path, null, type, found);
		return found;
	}

	Membership membership(String ring) {
		return membership(leases(ring), Instant.now());
	}

	HashRing hashRing(String ring) {
		return membership(ring).hashRing();
	}

	static boolean isPaused(ControllerRing ring) {
		return ShardingLabels.isSet(ring.getMetadata().getAnnotations(), ShardingLabels.PAUSED);
	}

	/** Whose objects a ring shares out, as the sharder sees it by default. */
	NamespaceFilter namespaces(ControllerRing ring) {
		LabelSelector selector = ring.getSpec().namespaceSelector();
		if (selector == null) {
			return NamespaceFilter.excluding(SharderOptions.DEFAULT.excludedNamespaces());
		}
		Map<String, Map<String, String>> labels = new TreeMap<>();
		List<Namespace> found = new ArrayList<>();
		pages("/api/v1/namespaces", null, NamespaceList.class, found);
		found.forEach((one) -> labels.put(one.getMetadata().getName(), one.getMetadata().getLabels()));
		return NamespaceFilter.selecting(selector, labels::get);
	}

	/** Reads an object; {@code null} if there is none. */
	<T> @Nullable T get(String path, Class<T> type) {
		return get(ApiRequest.of("GET", path), type);
	}

	<T> @Nullable T get(ApiRequest request, Class<T> type) {
		try {
			return serialization().unmarshal(this.requests.call(request).stream(), type);
		}
		catch (ApiException ex) {
			if (ex.status() == 404) {
				return null;
			}
			throw ex;
		}
	}

	/** Sets an annotation, or takes it off. */
	void annotate(String path, String annotation, boolean set) {
		Map<String, @Nullable String> annotations = new TreeMap<>();
		annotations.put(annotation, set ? "true" : null);
		this.requests.call(ApiRequest.of("PATCH", path, MediaTypes.MERGE_PATCH,
				serialization().asJson(Map.of("metadata", Map.of("annotations", annotations)))));
	}

	static String path(Lease lease) {
		return LEASES.path(lease.getMetadata().getNamespace(), lease.getMetadata().getName());
	}

	@Nullable Lease lease(String inNamespace, String name) {
		return get(LEASES.path(inNamespace, name), Lease.class);
	}

	private <T> void pages(String path, @Nullable String selector,
			Class<? extends KubernetesResourceList<? extends T>> type, List<T> found) {
		String token = null;
		do {
			KubernetesResourceList<? extends T> page = serialization().unmarshal(
					this.requests
						.call(ApiRequest.of("GET", path)
							.query("limit", String.valueOf(PAGE))
							.query("labelSelector", selector)
							.query("continue", token))
						.stream(),
					type);
			found.addAll(page.getItems());
			token = page.getMetadata().getContinue();
		}
		while (token != null && !token.isEmpty());
	}

	@Override
	public void close() {
		this.client.close();
	}

	/**
	 * A page of rings.
	 */
	static final class RingList extends DefaultKubernetesResourceList<ControllerRing> {

		private static final long serialVersionUID = 1L;

	}

}
