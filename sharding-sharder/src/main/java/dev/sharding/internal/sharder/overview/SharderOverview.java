package dev.sharding.internal.sharder.overview;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one replica of the sharder knows. Times are ISO-8601 in UTC.
 *
 * @param at when it was asked
 * @param replica who answers, as it stands in the Lease of the leader
 * @param leading whether the one who answers is the leader; if not, it knows no rings
 * @param leader the leader as far as is known, as it stands in its Lease
 * @param leaderSince since when the one who answers leads
 * @param trouble what keeps this replica from its work, {@code null} if nothing does
 * @param webhook what keeps its webhook from serving, {@code null} if nothing does or it
 * has none
 * @param rings the rings that it serves, by name
 */
public record SharderOverview(String at, String replica, boolean leading, @Nullable String leader,
		@Nullable String leaderSince, @Nullable String trouble, @Nullable String webhook, List<RingOverview> rings) {

	/**
	 * Tells whether it says the same as another one, whenever that was asked.
	 * @param other the other one
	 * @return {@code true} if nobody would see a difference
	 */
	public boolean isSameAs(SharderOverview other) {
		return new SharderOverview(other.at, this.replica, this.leading, this.leader, this.leaderSince, this.trouble,
				this.webhook, this.rings)
			.equals(other);
	}

	/**
	 * The same, with what the webhook of the replica says.
	 * @param problem what keeps it from serving, {@code null} if nothing does
	 * @return the overview
	 */
	public SharderOverview withWebhook(@Nullable String problem) {
		return new SharderOverview(this.at, this.replica, this.leading, this.leader, this.leaderSince, this.trouble,
				problem, this.rings);
	}

}
