package dev.sharding.autoconfigure;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import dev.sharding.client.ApiException;
import dev.sharding.internal.autoconfigure.ring.RingMembers;
import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.autoconfigure.runtime.LeaderElectedPart;
import dev.sharding.internal.autoconfigure.runtime.ShardPart;
import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.reconcile.Move;
import dev.sharding.internal.kubernetes.reconcile.Moves;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.shard.OwnedObject;
import dev.sharding.shard.Shard;

/**
 * Shows what the shards of this application do and own. Members of a ring are listed from
 * the API server when somebody asks; everything else is known here.
 */
@Endpoint(id = "sharding", defaultAccess = Access.READ_ONLY)
final class ShardingEndpoint {

	private static final int PAGE = 100;

	private static final int LARGEST_PAGE = 1000;

	private final List<ShardPart> shards;

	private final List<LeaderElectedPart> leaderElected;

	private final RingMembers members;

	private final LeaseClock clock;

	ShardingEndpoint(List<ShardPart> shards, List<LeaderElectedPart> leaderElected, RingMembers members,
			LeaseClock clock) {
		this.shards = shards;
		this.leaderElected = leaderElected;
		this.members = members;
		this.clock = clock;
	}

	@ReadOperation
	Map<String, Object> overview() {
		Map<String, Object> rings = new LinkedHashMap<>();
		this.shards.forEach((part) -> rings.put(part.name(), ring(part)));
		Map<String, Object> overview = new LinkedHashMap<>();
		overview.put("rings", rings);
		this.leaderElected
			.forEach((part) -> overview.put("plain", Map.of("phase", part.phase(), "controllers", controllers(part))));
		return overview;
	}

	@ReadOperation
	Map<String, Object> objects(@Selector String resource, @Nullable String ring, @Nullable Integer offset,
			@Nullable Integer limit) {
		Shard shard = shard(resource, ring);
		GroupResource wanted = resource(shard, resource);
		int from = (offset != null) ? offset : 0;
		int size = (limit != null) ? limit : PAGE;
		if (from < 0 || size < 1 || size > LARGEST_PAGE) {
			throw new InvalidEndpointRequestException(
					"'offset' must not be negative and 'limit' must be from 1 to %d (are %d and %d)"
						.formatted(LARGEST_PAGE, from, size),
					"page out of range");
		}
		RingMembers.HashOwners owners = this.members.owners(shard.ring(), shard.leaseNamespace(), now());
		Map<String, Object> page = new LinkedHashMap<>();
		page.put("ring", shard.ring());
		page.put("shard", shard.name());
		page.put("resource", wanted.toString());
		page.put("total", shard.owned().count(wanted));
		page.put("offset", from);
		if (owners.reason() != null) {
			page.put("shardOfHashUnknown", owners.reason());
		}
		page.put("objects",
				shard.owned()
					.page(wanted, from, size)
					.stream()
					.map((object) -> describe(object, owners.hashRing()))
					.toList());
		return page;
	}

	@WriteOperation
	Map<String, Object> reconcile(@Selector String resource, @Nullable String ring, @Nullable String namespace,
			@Nullable String name) {
		Shard shard = shard(resource, ring);
		GroupResource wanted = resource(shard, resource);
		List<String> asked = new ArrayList<>();
		for (Controller<?> controller : shard.controllers()) {
			if (controller.spec().type().groupResource().equals(wanted)) {
				if (name != null) {
					controller.enqueue(new ObjectKey((namespace != null) ? namespace : "", name));
				}
				else {
					controller.enqueueAll();
				}
				asked.add(controller.spec().name());
			}
		}
		if (asked.isEmpty()) {
			throw new InvalidEndpointRequestException(
					"No controller of shard '%s' reconciles '%s', but %s".formatted(shard.name(), wanted,
							shard.controllers()
								.stream()
								.map((controller) -> controller.spec().type().groupResource())
								.distinct()
								.toList()),
					"no controller of the resource");
		}
		return Map.of("controllers", asked);
	}

	private Map<String, Object> ring(ShardPart part) {
		Shard shard = part.shard();
		Map<String, Object> ring = new LinkedHashMap<>();
		ring.put("shard", shard.name());
		shard.heldLease().ifPresent((holder) -> ring.put("lease", holder.config().path()));
		ring.put("phase", part.phase());
		shard.standby().ifPresent((standby) -> ring.put("standby", standby.text()));
		if (!part.ring().message().isEmpty()) {
			ring.put("ringCheck", part.ring().message());
		}
		try {
			ring.put("members", RingMembers.describe(find(shard), now()));
		}
		catch (ApiException ex) {
			ring.put("membersError", String.valueOf(ex.getMessage()));
		}
		Map<String, Integer> share = new LinkedHashMap<>();
		shard.owned().resources().forEach((resource) -> share.put(resource.toString(), shard.owned().count(resource)));
		ring.put("share", share);
		List<Moves.Drain> drains = shard.moves().drains();
		ring.put("drainsInProgress", drains.size());
		ring.put("drains", drains.stream().limit(PAGE).map(ShardingEndpoint::describe).toList());
		ring.put("lastMoves", shard.moves().latest().stream().map(ShardingEndpoint::describe).toList());
		ring.put("controllers", controllers(part));
		return ring;
	}

	private static Map<String, Object> controllers(ControllerPart part) {
		Map<String, Object> controllers = new LinkedHashMap<>();
		part.controllers()
			.forEach((controller) -> controllers.put(controller.spec().name(),
					ReconcilersHealthIndicator.details(controller.status())));
		return controllers;
	}

	private static Map<String, Object> describe(Moves.Drain drain) {
		return Map.of("object", drain.resource() + "/" + drain.key(), "waiting", drain.waiting().toString());
	}

	private static Map<String, Object> describe(Move move) {
		return Map.of("object", move.resource() + "/" + move.key(), "kind",
				(move.kind() == Move.Kind.DRAINED) ? "drained" : "takenOver", "at", move.at().toString(), "took",
				move.took().toString());
	}

	private static Map<String, Object> describe(OwnedObject object, @Nullable HashRing hashRing) {
		Map<String, Object> described = new LinkedHashMap<>();
		described.put("namespace", object.key().namespace());
		described.put("name", object.key().name());
		described.put("draining", object.draining());
		ShardingKey key = object.shardingKey();
		if (key != null) {
			described.put("key", key.toString());
			described.put("hash", "%016x".formatted(HashRing.hash(key)));
			if (hashRing != null) {
				described.put("shardOfHash", Objects.requireNonNullElse(hashRing.shardFor(key), ""));
			}
		}
		return described;
	}

	private Map<String, Lease> find(Shard shard) {
		return this.members.find(shard.ring(), shard.leaseNamespace());
	}

	private Instant now() {
		return this.clock.wall().instant();
	}

	private Shard shard(String resource, @Nullable String ring) {
		return this.shards.stream()
			.map(ShardPart::shard)
			.filter((shard) -> (ring != null) ? ring.equals(shard.ring())
					: shard.owned().resources().stream().anyMatch((known) -> known.toString().equals(resource)))
			.findFirst()
			.orElseThrow(() -> new InvalidEndpointRequestException(
					(ring != null) ? "This application is no shard of ring '%s'".formatted(ring)
							: "No ring of this application has the resource '%s'".formatted(resource),
					"unknown ring or resource"));
	}

	private static GroupResource resource(Shard shard, String resource) {
		return shard.owned()
			.resources()
			.stream()
			.filter((known) -> known.toString().equals(resource))
			.findFirst()
			.orElseThrow(() -> new InvalidEndpointRequestException("Shard '%s' has no resource '%s', but %s"
				.formatted(shard.name(), resource, shard.owned().resources()), "unknown resource"));
	}

}
