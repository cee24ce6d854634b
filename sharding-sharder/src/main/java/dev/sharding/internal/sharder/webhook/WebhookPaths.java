package dev.sharding.internal.sharder.webhook;

import dev.sharding.internal.core.key.ShardingNames;
import org.jspecify.annotations.Nullable;

/**
 * Ring names in paths and back (protocol section 1.1).
 */
final class WebhookPaths {

	private static final String PREFIX = "/webhooks/sharder/controllerring/";

	private WebhookPaths() {
	}

	static String of(String ring) {
		return PREFIX + ring;
	}

	/** The ring that a path names, or {@code null} if it names none. */
	static @Nullable String ring(@Nullable String path) {
		if (path == null || !path.startsWith(PREFIX)) {
			return null;
		}
		try {
			return ShardingNames.requireRing(path.substring(PREFIX.length()));
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
