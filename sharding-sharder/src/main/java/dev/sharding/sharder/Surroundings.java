package dev.sharding.sharder;

import dev.sharding.sharder.ring.WebhookReports;

/**
 * What a sharder finds where it runs.
 *
 * @param namespace where it keeps account of the rings that it serves
 * @param webhook what the webhook of this process says about its configurations
 */
record Surroundings(String namespace, WebhookReports webhook) {

	static Surroundings usual() {
		return new Surroundings(ElectionOptions.DEFAULT.namespace(), new WebhookReports());
	}

}
