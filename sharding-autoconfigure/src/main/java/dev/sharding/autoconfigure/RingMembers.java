package dev.sharding.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.lease.LeaseRecord;
import dev.sharding.core.lease.ShardState;
import dev.sharding.core.ring.HashRing;
import dev.sharding.kubernetes.lease.LeaseRecords;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;

/**
 * The shards of a ring, as their Leases show them at the moment of asking. It looks into
 * one namespace, that of the own Lease, where it has the right to.
 */
final class RingMembers {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final KubernetesClient client;

	RingMembers(KubernetesClient client) {
		this.client = client;
	}

	/**
	 * Lists the Leases of a ring.
	 * @param ring the name of the ring
	 * @param namespace where its Leases are
	 * @return the Lease of each shard by its name
	 * @throws ApiException if they cannot be listed
	 */
	Map<String, LeaseRecord> find(String ring, String namespace) {
		LeaseList list = this.client.getKubernetesSerialization()
			.unmarshal(new ApiRequests(this.client)
				.call(ApiRequest.of("GET", "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases")
					.query("labelSelector", ShardingLabels.LEASE_RING + "=" + ring)
					.timeout(TIMEOUT))
				.stream(), LeaseList.class);
		Map<String, LeaseRecord> members = new TreeMap<>();
		for (Lease lease : list.getItems()) {
			members.put(lease.getMetadata().getName(), LeaseRecords.of(lease));
		}
		return members;
	}

	/** What is worth telling of each member. */
	static Map<String, Object> describe(Map<String, LeaseRecord> members, Instant now) {
		Map<String, Object> described = new LinkedHashMap<>();
		members.forEach((name, lease) -> {
			Map<String, Object> member = new LinkedHashMap<>();
			member.put("state", ShardState.of(lease, now).label());
			member.put("holder", (lease.holderIdentity() != null) ? lease.holderIdentity() : "");
			if (lease.renewTime() != null) {
				member.put("renewed", lease.renewTime().toString());
			}
			described.put(name, member);
		});
		return described;
	}

	/** The hash ring of those to which objects may be assigned. */
	static HashRing hashRing(Map<String, LeaseRecord> members, Instant now) {
		return HashRing.of(members.entrySet()
			.stream()
			.filter((member) -> ShardState.of(member.getValue(), now).isAvailable())
			.map(Map.Entry::getKey)
			.toList());
	}

}
