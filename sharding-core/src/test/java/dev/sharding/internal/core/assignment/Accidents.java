package dev.sharding.internal.core.assignment;

/**
 * What may still happen in a {@link DrainWorld}, and how often.
 *
 * @param renewals how often a-1 may renew its Lease
 * @param lostAnswers how many answers may be lost
 * @param leaders how often another sharder may take the lead
 * @param edits how often somebody may edit the main object
 * @param comings how often shard b may come or go
 */
record Accidents(int renewals, int lostAnswers, int leaders, int edits, int comings) {

	/** Nothing happens any more. */
	static final Accidents NONE = new Accidents(0, 0, 0, 0, 0);

	Accidents afterRenewal() {
		return new Accidents(this.renewals - 1, this.lostAnswers, this.leaders, this.edits, this.comings);
	}

	Accidents afterLostAnswer() {
		return new Accidents(this.renewals, this.lostAnswers - 1, this.leaders, this.edits, this.comings);
	}

	Accidents afterNewLeader() {
		return new Accidents(this.renewals, this.lostAnswers, this.leaders - 1, this.edits, this.comings);
	}

	Accidents afterEdit() {
		return new Accidents(this.renewals, this.lostAnswers, this.leaders, this.edits - 1, this.comings);
	}

	Accidents afterComing() {
		return new Accidents(this.renewals, this.lostAnswers, this.leaders, this.edits, this.comings - 1);
	}

}
