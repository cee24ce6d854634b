package dev.sharding.demo.chaos;

import org.jspecify.annotations.Nullable;

/**
 * A fault as it stands in a schedule, with roles for names: who has them is found when it
 * strikes.
 *
 * @param minute in which minute, from 1
 * @param at how many milliseconds after the minute began it strikes, or from when on it
 * waits for what it is to see
 * @param when what the audit log of the ring has to show, null for nothing
 * @param by when it strikes at the latest, whatever was to be seen
 * @param kind what happens
 * @param ring which ring is struck or looked at, from 0
 * @param secret number of the Secret that names the role, where one does
 * @param lasts for how many milliseconds
 */
record Planned(int minute, long at, @Nullable Sight when, long by, Kind kind, int ring, int secret, long lasts) {

	/** The same in another minute. */
	Planned inMinute(int other) {
		return new Planned(other, this.at, this.when, this.by, this.kind, this.ring, this.secret, this.lasts);
	}

	/** By when it is over, and those who were struck are left alone until then. */
	long over() {
		return this.by + this.lasts + this.kind.recovery();
	}

	/** Whom it strikes. */
	String role() {
		return switch (this.kind.whom()) {
			case SHARD -> "owner of secret-" + this.secret;
			case OBJECT -> "secret-" + this.secret;
			case RING -> "shards of " + Extent.ringName(this.ring);
			case LEADER -> switch (this.kind) {
				case ROLL_OUT_SHARDERS -> "sharders";
				case REMOVE_RESOURCE -> Widgets.PLURAL;
				case WEBHOOK_OUTAGE -> "webhook";
				default -> "leader";
			};
			case API_SERVER -> "api-server";
			case ETCD -> "etcd";
			case ALL -> "all";
		};
	}

	/** Whether nobody is struck by both at a time. */
	boolean apartFrom(Planned other) {
		boolean elsewhere = !this.kind.whom().alone() && !other.kind.whom().alone()
				&& (this.kind.whom().ofRing() != other.kind.whom().ofRing()
						|| this.kind.whom().ofRing() && this.ring != other.ring);
		return elsewhere || this.minute != other.minute || over() <= other.at || other.over() <= this.at;
	}

}
