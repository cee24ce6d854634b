package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * When which shard owned which main object. A claim lasts from the moment at which the
 * request that began it was received until the one that ended it completed: within these
 * bounds nobody outside of the API server can tell.
 */
final class Claims {

	private final Map<ObjectRef, List<Claim>> claims = new HashMap<>();

	Claims(RingUnderTest ring, History history) {
		for (ObjectRef object : history.objects()) {
			if (ring.isMain(object)) {
				this.claims.put(object, claims(history.of(object), ring.shardLabel()));
			}
		}
	}

	private static List<Claim> claims(List<Revision> revisions, String label) {
		List<Claim> claims = new ArrayList<>();
		Claim open = null;
		for (Revision revision : revisions) {
			String owner = revision.label(label);
			if (open != null && !open.shard().equals(owner)) {
				claims.add(new Claim(open.shard(), open.from(), revision.completed()));
				open = null;
			}
			if (open == null && !owner.isEmpty()) {
				open = new Claim(owner, revision.received(), Instant.MAX);
			}
		}
		if (open != null) {
			claims.add(open);
		}
		return claims;
	}

	boolean owned(ObjectRef object, String shard, Instant time) {
		return of(object, shard).stream()
			.anyMatch((claim) -> !time.isBefore(claim.from()) && !time.isAfter(claim.to()));
	}

	/** The last claim of the shard on the object that ended before that time. */
	@Nullable Claim lastBefore(ObjectRef object, String shard, Instant time) {
		Claim last = null;
		for (Claim claim : of(object, shard)) {
			if (claim.to().isBefore(time)) {
				last = claim;
			}
		}
		return last;
	}

	private List<Claim> of(ObjectRef object, String shard) {
		return this.claims.getOrDefault(object, List.of())
			.stream()
			.filter((claim) -> claim.shard().equals(shard))
			.toList();
	}

	/**
	 * @param from when the request that gave the object to the shard was received
	 * @param to when the request that took it away completed, {@link Instant#MAX} while
	 * it lasts
	 */
	record Claim(String shard, Instant from, Instant to) {
	}

}
