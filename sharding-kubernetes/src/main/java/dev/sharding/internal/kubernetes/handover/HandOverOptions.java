package dev.sharding.internal.kubernetes.handover;

import dev.sharding.internal.kubernetes.fence.FenceLaw;

/**
 * What keeps two shards from acting on one object. The first two are not meant to be
 * changed, but for a negative control.
 *
 * @param fenceLaw decides which writes may be sent
 * @param termStart what happens between the acquire of the Lease and the first reconcile
 * @param takeOverCheck whether the first reconcile of an object that came from another
 * shard waits until the caches of its controlled resources hold what that one made
 */
public record HandOverOptions(FenceLaw fenceLaw, TermStart termStart, boolean takeOverCheck) {

	/** Everything on. */
	public static final HandOverOptions DEFAULTS = new HandOverOptions(FenceLaw.CONTRACT, TermStart.REFRESH, true);

	/**
	 * Another law.
	 * @param law decides which writes may be sent
	 * @return the options
	 */
	public HandOverOptions withFenceLaw(FenceLaw law) {
		return new HandOverOptions(law, this.termStart, this.takeOverCheck);
	}

	/**
	 * Another start of a term.
	 * @param start what happens between acquire and first reconcile
	 * @return the options
	 */
	public HandOverOptions withTermStart(TermStart start) {
		return new HandOverOptions(this.fenceLaw, start, this.takeOverCheck);
	}

	/**
	 * With or without the check of objects that are taken over.
	 * @param check whether to check
	 * @return the options
	 */
	public HandOverOptions withTakeOverCheck(boolean check) {
		return new HandOverOptions(this.fenceLaw, this.termStart, check);
	}

}
