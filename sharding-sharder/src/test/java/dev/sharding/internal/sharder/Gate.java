package dev.sharding.internal.sharder;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import dev.sharding.test.AnswerProxy.Request;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keeps what passes on its way, from when it is closed until it is opened.
 */
final class Gate {

	private volatile @Nullable Closed closed;

	/** Closes it for what passes from now on. */
	void close(Predicate<Request> held) {
		this.closed = new Closed(held, new CompletableFuture<>(), new CompletableFuture<>());
	}

	/** Returns once something is held. */
	void awaitHeld() {
		Closed now = this.closed;
		World.await().untilAsserted(() -> assertThat(now != null && now.reached.isDone()).isTrue());
	}

	/** Lets all pass, for good or until it is closed again. */
	void open() {
		Closed now = this.closed;
		this.closed = null;
		if (now != null) {
			now.opened.complete(null);
		}
	}

	void pass(Request request) {
		Closed now = this.closed;
		if (now != null && now.held.test(request)) {
			now.reached.complete(null);
			now.opened.join();
		}
	}

	private record Closed(Predicate<Request> held, CompletableFuture<Void> reached, CompletableFuture<Void> opened) {
	}

}
