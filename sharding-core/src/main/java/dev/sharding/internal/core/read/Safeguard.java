package dev.sharding.internal.core.read;

import org.jspecify.annotations.Nullable;

/**
 * Whether memory answers consistent reads of a resource, by what the API server can do
 * and by what somebody decided.
 */
public enum Safeguard {

	/** It does. */
	ON,

	/** It does, and somebody should know what that costs. */
	WARN,

	/** It does not: the API server lists. */
	OFF,

	/** Somebody wants what cannot be: the application must not start. */
	ABORT;

	/**
	 * Looks it up.
	 * @param support what the API server can do for the resource
	 * @param decided on or off, or {@code null} if nobody decided
	 * @return the verdict
	 */
	public static Safeguard of(Support support, @Nullable Boolean decided) {
		if (Boolean.FALSE.equals(decided)) {
			return OFF;
		}
		return switch (support) {
			case FULL -> ON;
			case COSTLY -> (decided != null) ? ON : WARN;
			case UNKNOWN -> WARN;
			case NOT_COMPARABLE -> (decided != null) ? ABORT : OFF;
		};
	}

	/**
	 * What the API server can do for consistent reads of a resource.
	 */
	public enum Support {

		/** It answers its side of them from memory. */
		FULL,

		/** It is older than 1.31 and asks etcd for each list of metadata. */
		COSTLY,

		/** It could not be asked. */
		UNKNOWN,

		/** Its resource versions have no order, as with some aggregated APIs. */
		NOT_COMPARABLE;

		private static final int FIRST_MINOR = 31;

		/**
		 * Reads the version of an API server.
		 * @param major such as "1"
		 * @param minor such as "31" or "31+"
		 * @return {@link #FULL}, {@link #COSTLY} or {@link #UNKNOWN}
		 */
		public static Support ofServer(String major, String minor) {
			int end = 0;
			while (end < minor.length() && Character.isDigit(minor.charAt(end))) {
				end++;
			}
			if (!major.equals("1") || end == 0 || end > 4) {
				return UNKNOWN;
			}
			return (Integer.parseInt(minor.substring(0, end)) >= FIRST_MINOR) ? FULL : COSTLY;
		}

	}

}
