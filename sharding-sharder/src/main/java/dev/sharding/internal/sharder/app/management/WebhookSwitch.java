package dev.sharding.internal.sharder.app.management;

import dev.sharding.internal.sharder.webhook.Webhook;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * The webhook, or the fact that there is none in this mode. It stops after the sharder:
 * another replica may be the leader by then, and this one may still be asked.
 */
public final class WebhookSwitch implements SmartLifecycle {

	private final @Nullable Webhook webhook;

	private volatile boolean running;

	public WebhookSwitch(@Nullable Webhook webhook) {
		this.webhook = webhook;
	}

	public @Nullable Webhook webhook() {
		return this.webhook;
	}

	@Override
	public void start() {
		this.running = true;
		if (this.webhook != null) {
			this.webhook.start();
		}
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.webhook != null) {
			this.webhook.close();
		}
	}

	@Override
	public void stop(Runnable callback) {
		StopThread.run("webhook-stop", this::stop, callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return SmartLifecycle.DEFAULT_PHASE - 1;
	}

}
