package dev.sharding.internal.core.overlay;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import org.jspecify.annotations.Nullable;

/**
 * How far the delivered events of a feed reach: all changes in its scope up to and
 * including this version were delivered.
 */
final class FeedPosition {

	private @Nullable String reached;

	private boolean relisting;

	boolean relisting() {
		return this.relisting;
	}

	boolean covers(@Nullable String version) {
		return notOlder(this.reached, version);
	}

	void relistStarted() {
		this.relisting = true;
	}

	/*
	 * A consistent list is never behind what the watch showed, unless the cluster went
	 * back to a backup. Then the lower version is the truth.
	 */
	void relistFinished(String version) {
		this.relisting = false;
		this.reached = ResourceVersions.isComparable(version) ? version : null;
	}

	/*
	 * Events of a relist come in no order, so one of them says nothing about other keys;
	 * the end of the relist does.
	 */
	void advance(@Nullable String version) {
		if (!this.relisting && ResourceVersions.isComparable(version) && !covers(version)) {
			this.reached = version;
		}
	}

	static boolean notOlder(@Nullable String version, @Nullable String than) {
		Order order = ResourceVersions.compare(version, than);
		return order == Order.AFTER || order == Order.SAME;
	}

}
