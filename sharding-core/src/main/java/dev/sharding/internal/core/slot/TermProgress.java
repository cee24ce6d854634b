package dev.sharding.internal.core.slot;

/**
 * How far a term has come.
 *
 * @param touched whether all objects that had to be touched are
 * @param served whether it has reconciled for one grace
 * @param stopping whether its process has begun to stop
 */
public record TermProgress(boolean touched, boolean served, boolean stopping) {

	/** A term that has just begun. */
	public static final TermProgress BEGUN = new TermProgress(false, false, false);

}
