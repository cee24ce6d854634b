package dev.sharding.internal.sharder.app.management;

import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.sharder.ElectedSharder;
import dev.sharding.internal.sharder.overview.SharderOverview;
import dev.sharding.internal.sharder.webhook.Webhook;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * What the leader knows of the rings, as data: names, labels, times and counts. Another
 * replica says who leads.
 */
@Endpoint(id = RingsEndpoint.ID)
public final class RingsEndpoint {

	static final String ID = "rings";

	private final ElectedSharder sharder;

	private final WebhookSwitch webhook;

	public RingsEndpoint(ElectedSharder sharder, WebhookSwitch webhook) {
		this.sharder = sharder;
		this.webhook = webhook;
	}

	/**
	 * Returns what is known. Asks the API server nothing.
	 * @return the overview; completes within seconds
	 */
	@ReadOperation
	CompletableFuture<SharderOverview> rings() {
		Webhook served = this.webhook.webhook();
		@Nullable String problem = (served != null) ? served.status().problem() : null;
		return this.sharder.overview().thenApply((overview) -> overview.withWebhook(problem));
	}

}
