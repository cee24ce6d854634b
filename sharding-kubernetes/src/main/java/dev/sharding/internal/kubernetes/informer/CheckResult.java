package dev.sharding.internal.kubernetes.informer;

import java.util.List;

import dev.sharding.resource.ObjectKey;

/**
 * What came out of a comparison of a store with the API server.
 *
 * @param outcome the verdict
 * @param version the resource version that was compared, or empty
 * @param differing the objects that only one of the two has, or that they have in
 * different versions, in order
 */
public record CheckResult(Outcome outcome, String version, List<ObjectKey> differing) {

	/** The verdict. */
	public enum Outcome {

		/** Both hold the same objects in the same versions. */
		MATCH,

		/** They do not, and the scope is listed anew. */
		MISMATCH,

		/**
		 * The API server could not tell what there was at the version of the store: it is
		 * gone, or the server has not got there, or did not answer.
		 */
		INCONCLUSIVE

	}

}
