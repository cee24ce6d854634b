package dev.sharding.leadership;

/**
 * Whether this replica is the elected leader, as an application event. A bean with a
 * listener for such events makes the application a candidate. They come one after the
 * other on a thread of their own; what a listener of one throws is logged.
 */
public sealed interface LeadershipEvent permits LeadershipAcquiredEvent, LeadershipLostEvent {

	/**
	 * The Lease of the leader.
	 * @return its namespace and name, empty where every replica is a leader
	 */
	String lease();

}
