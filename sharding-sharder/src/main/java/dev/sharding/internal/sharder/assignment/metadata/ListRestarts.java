package dev.sharding.internal.sharder.assignment.metadata;

/**
 * Says whether a list whose pages expire before it ends begins anew: as often as it takes
 * while it gets farther than ever before, and a few times where it does not. Positions
 * are compared in the order in which the API server lists.
 */
final class ListRestarts {

	private static final int MOST_IN_VAIN = 3;

	private String farthest = "";

	private int inVain;

	/**
	 * A page has come.
	 * @param namespace of its last object, empty for a cluster-scoped one
	 * @param name of that one
	 */
	void came(String namespace, String name) {
		String position = namespace + "/" + name;
		if (position.compareTo(this.farthest) > 0) {
			this.farthest = position;
			this.inVain = 0;
		}
	}

	/** The list has expired; tells whether it begins anew, which counts. */
	boolean beginAnew() {
		return this.inVain++ < MOST_IN_VAIN;
	}

}
