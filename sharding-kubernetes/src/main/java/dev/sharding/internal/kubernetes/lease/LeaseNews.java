package dev.sharding.internal.kubernetes.lease;

import java.util.concurrent.Executor;

/**
 * Tells those who wait for a Lease, a few times in its life, each time on a thread of its
 * own: what they do then holds up neither the Lease nor anybody else, nor do tasks of the
 * application that block the common pool hold up the news.
 */
final class LeaseNews {

	static final Executor EXECUTOR = (news) -> {
		Thread thread = new Thread(news, "lease-news");
		thread.setDaemon(true);
		thread.start();
	};

	private LeaseNews() {
	}

}
