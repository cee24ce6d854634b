package dev.sharding.internal.sharder.shardlease;

/**
 * Gets the memberships of rings.
 */
@FunctionalInterface
public interface MembershipListener {

	/**
	 * The membership of a ring is known or changed.
	 * @param ring the name of the ring
	 * @param membership the shards as of now
	 */
	void membership(String ring, Membership membership);

}
