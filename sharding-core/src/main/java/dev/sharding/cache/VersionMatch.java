package dev.sharding.cache;

/**
 * How a list stands to the resource version that it names, as the API server has it.
 */
public enum VersionMatch {

	/** At that version, or at a later one. */
	NOT_OLDER_THAN,

	/** At that version. */
	EXACT

}
