package dev.sharding.internal.sharder.app.management;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.sharding.internal.sharder.http.Bodies;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.overview.SharderOverview;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends overviews to those who look at the page, as server-sent events: one made for all
 * of them, once a second, as long as somebody looks, and only if it differs from the one
 * before. A stream ends by itself after a minute, and the browser asks for the next one,
 * so that a right that was taken away counts for a minute more at most.
 */
final class PageStreams {

	static final int MOST = 16;

	private static final Logger log = LoggerFactory.getLogger(PageStreams.class);

	private static final Duration PERIOD = Duration.ofSeconds(1);

	private static final Duration LIFE = Duration.ofMinutes(1);

	/* Who reads nothing for so long is cut off. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/* The first line of a stream: when to ask for the next one. */
	private static final String BEGINNING = "retry: 1000\n\n";

	private final Supplier<CompletableFuture<SharderOverview>> overviews;

	private final KubernetesSerialization json;

	private final WebStack stack;

	private final WorkerExecutor workers;

	private final Bodies bodies;

	private final Set<Stream> streams = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean ticking = new AtomicBoolean();

	private volatile @Nullable Shown shown;

	/**
	 * Creates an object for one listener.
	 * @param overviews gives what to show
	 * @param json writes it
	 * @param stack whose event loops it uses
	 * @param workers run what may block
	 * @param bodies refuses what is too much
	 */
	PageStreams(Supplier<CompletableFuture<SharderOverview>> overviews, KubernetesSerialization json, WebStack stack,
			WorkerExecutor workers, Bodies bodies) {
		this.overviews = overviews;
		this.json = json;
		this.stack = stack;
		this.workers = workers;
		this.bodies = bodies;
	}

	/** Opens a stream. On an event loop. */
	void open(HttpServerRequest request) {
		if (this.streams.size() >= MOST) {
			this.bodies.refuseForNow(request, 503, "too many look at the page");
			return;
		}
		HttpServerResponse response = request.response();
		response.setChunked(true).putHeader("Content-Type", "text/event-stream");
		Stream stream = new Stream(request);
		this.streams.add(stream);
		response.exceptionHandler((failure) -> this.streams.remove(stream));
		stream.write(BEGINNING);
		if (this.ticking.compareAndSet(false, true)) {
			tick();
		}
		else {
			Shown last = this.shown;
			if (last != null) {
				stream.write(last.event());
			}
		}
	}

	private void tick() {
		long now = System.nanoTime();
		this.streams.forEach((stream) -> {
			if (stream.isOver(now)) {
				this.streams.remove(stream);
			}
		});
		if (this.streams.isEmpty()) {
			this.shown = null;
			this.ticking.set(false);
			// One that was opened just now found it ticking.
			if (this.streams.isEmpty() || !this.ticking.compareAndSet(false, true)) {
				return;
			}
		}
		this.workers.executeBlocking(this::show, false).onComplete((made) -> {
			if (made.failed()) {
				log.warn("Failed to make an overview: {}", made.cause().toString());
			}
			this.stack.after(PERIOD, this::tick);
		});
	}

	private @Nullable Void show() throws Exception {
		SharderOverview overview = this.overviews.get().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		Shown last = this.shown;
		if (last == null || !last.overview().isSameAs(overview)) {
			Shown next = new Shown(overview, "data: " + this.json.asJson(overview) + "\n\n");
			this.shown = next;
			this.streams.forEach((stream) -> stream.write(next.event()));
		}
		return null;
	}

	private record Shown(SharderOverview overview, String event) {
	}

	/**
	 * One who looks.
	 */
	private static final class Stream {

		private final HttpServerRequest request;

		private final long begun = System.nanoTime();

		/* Since when it does not read, 0 while it does. */
		private volatile long full;

		private Stream(HttpServerRequest request) {
			this.request = request;
		}

		/* What it does not take in time it misses: the next one shows all. */
		private void write(String event) {
			if (!this.request.response().writeQueueFull()) {
				this.request.response().write(event);
			}
		}

		private boolean isOver(long now) {
			HttpServerResponse response = this.request.response();
			if (response.ended() || response.closed()) {
				return true;
			}
			if (!response.writeQueueFull()) {
				this.full = 0;
			}
			else if (this.full == 0) {
				this.full = now | 1;
			}
			else if (now - this.full > PATIENCE.toNanos()) {
				Bodies.cutOff(this.request);
				return true;
			}
			if (now - this.begun > LIFE.toNanos()) {
				response.end();
				return true;
			}
			return false;
		}

	}

}
