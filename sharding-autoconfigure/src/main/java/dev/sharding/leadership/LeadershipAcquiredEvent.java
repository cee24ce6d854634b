package dev.sharding.leadership;

/**
 * Published as an application event when this replica is the leader. A listener may do
 * its work right there for as long as the term lasts: its thread is interrupted when that
 * ends. What it writes through caches of the application ends with the term.
 *
 * @param lease the namespace and name of the Lease, empty where every replica is a leader
 */
public record LeadershipAcquiredEvent(String lease) implements LeadershipEvent {
}
