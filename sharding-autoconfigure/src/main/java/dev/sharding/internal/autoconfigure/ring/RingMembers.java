package dev.sharding.internal.autoconfigure.ring;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.core.slot.Seat;
import dev.sharding.internal.core.slot.SlotLease;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.protocol.ShardingLabels;

/**
 * The shards of a ring, as their Leases show them at the moment of asking. It looks into
 * one namespace, that of the own Lease, where it has the right to.
 */
public final class RingMembers {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final KubernetesClient client;

	public RingMembers(KubernetesClient client) {
		this.client = client;
	}

	/**
	 * Lists the Leases of a ring.
	 * @param ring the name of the ring
	 * @param namespace where its Leases are
	 * @return the Lease of each shard by its name
	 * @throws ApiException if they cannot be listed
	 */
	public Map<String, Lease> find(String ring, String namespace) {
		LeaseList list = this.client.getKubernetesSerialization()
			.unmarshal(new ApiRequests(this.client)
				.call(ApiRequest.of("GET", "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases")
					.query("labelSelector", ShardingLabels.LEASE_RING + "=" + ring)
					.timeout(TIMEOUT)
					.exempted())
				.stream(), LeaseList.class);
		Map<String, Lease> members = new TreeMap<>();
		for (Lease lease : list.getItems()) {
			members.put(lease.getMetadata().getName(), lease);
		}
		return members;
	}

	/** What is worth telling of each member. */
	public static Map<String, Object> describe(Map<String, Lease> members, Instant now) {
		Map<String, Object> described = new LinkedHashMap<>();
		members.forEach((name, written) -> {
			LeaseRecord lease = LeaseRecords.of(written);
			Map<String, Object> member = new LinkedHashMap<>();
			member.put("state", ShardState.of(lease, now).label());
			member.put("holder", (lease.holderIdentity() != null) ? lease.holderIdentity() : "");
			if (lease.renewTime() != null) {
				member.put("renewed", lease.renewTime().toString());
			}
			Map<String, String> labels = written.getMetadata().getLabels();
			if (labels != null && labels.containsKey(ShardingLabels.POD)) {
				member.put("pod", labels.get(ShardingLabels.POD));
			}
			if (LeaseRecords.slotLease(written).isWaitedFor()) {
				member.put("givenBack", true);
			}
			if (isCordoned(written)) {
				member.put("cordoned", true);
			}
			described.put(name, member);
		});
		return described;
	}

	/**
	 * Finds out whose the hashes are, which only those know who see all Leases of the
	 * ring.
	 * @param ring the name of the ring
	 * @param namespace where its Leases are looked for
	 * @param now the time
	 * @return the hash ring of all shards that are available, or why it is not known
	 */
	public HashOwners owners(String ring, String namespace, Instant now) {
		try {
			Map<String, Lease> members = find(ring, namespace);
			Object all = this.client.getKubernetesSerialization()
				.unmarshal(new ApiRequests(this.client)
					.call(ApiRequest.of("GET", RingCheck.PATH + ring).timeout(TIMEOUT).exempted())
					.stream(), GenericKubernetesResource.class)
				.get("status", "availableShards");
			return HashOwners.of(members, now, (all instanceof Number number) ? number.intValue() : null, namespace);
		}
		catch (ApiException ex) {
			return new HashOwners(null, String.valueOf(ex.getMessage()));
		}
	}

	private static boolean isCordoned(Lease lease) {
		return ShardingLabels.isSet(lease.getMetadata().getAnnotations(), ShardingLabels.CORDONED);
	}

	/**
	 * Whose the hashes are.
	 *
	 * @param hashRing the hash ring, {@code null} if it is not known
	 * @param reason why it is not known, {@code null} if it is
	 */
	public record HashOwners(@Nullable HashRing hashRing, @Nullable String reason) {

		static HashOwners of(Map<String, Lease> found, Instant now, @Nullable Integer all, String namespace) {
			Instant through = Seat.settledThrough(found.values()
				.stream()
				.filter((lease) -> seat(lease, now, null).isMember())
				.map(LeaseRecords::slotLease)
				.toList());
			Map<String, Seat> seats = new TreeMap<>();
			found.forEach((name, lease) -> seats.put(name, seat(lease, now, through)));
			int available = names(seats, Seat::isHeld).size();
			if (all == null) {
				return new HashOwners(null, "The ControllerRing has no status: no sharder has seen it");
			}
			return (all == available)
					? new HashOwners(HashRing.of(names(seats, Seat::isMember),
							found.values()
								.stream()
								.filter(RingMembers::isCordoned)
								.map((lease) -> lease.getMetadata().getName())
								.toList(),
							names(seats, (seat) -> seat == Seat.SETTLING)), null)
					: new HashOwners(null,
							"The ControllerRing has %d available shards, of which %d have their Lease in namespace '%s'"
								.formatted(all, available, namespace));
		}

		private static Seat seat(Lease lease, Instant now, @Nullable Instant through) {
			SlotLease noted = LeaseRecords.slotLease(lease);
			return Seat.of(noted, ShardState.of(noted.record(), now), through);
		}

		private static List<String> names(Map<String, Seat> seats, Predicate<Seat> which) {
			return seats.entrySet()
				.stream()
				.filter((seat) -> which.test(seat.getValue()))
				.map(Map.Entry::getKey)
				.toList();
		}

	}

}
