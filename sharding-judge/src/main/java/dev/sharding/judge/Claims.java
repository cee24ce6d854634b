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
				claims.add(new Claim(open.shard(), open.begin(), revision));
				open = null;
			}
			if (open == null && !owner.isEmpty()) {
				open = new Claim(owner, revision.cause(), null);
			}
		}
		if (open != null) {
			claims.add(open);
		}
		return claims;
	}

	/** All claims on the object, in order. */
	List<Claim> of(ObjectRef object) {
		return this.claims.getOrDefault(object, List.of());
	}

	/** The last claim of the shard on the object that had begun by that time. */
	@Nullable Claim lastBegun(ObjectRef object, String shard, Instant time) {
		Claim last = null;
		for (Claim claim : of(object)) {
			if (claim.shard().equals(shard) && !claim.from().isAfter(time)) {
				last = claim;
			}
		}
		return last;
	}

	/** The first claim of another shard after that one, null if there is none. */
	@Nullable Claim nextOfAnother(ObjectRef object, Claim claim) {
		List<Claim> all = of(object);
		return all.subList(all.indexOf(claim), all.size())
			.stream()
			.filter((later) -> !later.shard().equals(claim.shard()))
			.findFirst()
			.orElse(null);
	}

	/**
	 * @param begin the request that gave the object to the shard
	 * @param end the state that ended it, null while it lasts
	 */
	record Claim(String shard, AuditEvent begin, @Nullable Revision end) {

		Instant from() {
			return this.begin.received();
		}

		Instant to() {
			return (this.end != null) ? this.end.completed() : Instant.MAX;
		}

		/** Whether the object was deleted, of which its owner learns afterwards. */
		boolean endedByDeletion() {
			return this.end != null && this.end.body() == null;
		}

	}

}
