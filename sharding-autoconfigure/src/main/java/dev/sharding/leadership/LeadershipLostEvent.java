package dev.sharding.leadership;

/**
 * Published as an application event when this replica is the leader no longer, or is
 * about to stop. In the latter case the Lease is kept until its listeners have returned,
 * for {@code sharding.reconcile.stop-timeout} at most.
 *
 * @param lease the namespace and name of the Lease, empty where every replica is a leader
 */
public record LeadershipLostEvent(String lease) implements LeadershipEvent {
}
