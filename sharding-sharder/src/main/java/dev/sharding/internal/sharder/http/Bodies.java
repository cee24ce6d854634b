package dev.sharding.internal.sharder.http;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the bodies of requests in, within bounds of size, sum and time, and cuts off
 * whoever goes beyond or reads no answer. Its methods are called on event loops.
 */
public final class Bodies {

	private static final Logger log = LoggerFactory.getLogger(Bodies.class);

	private static final long LAST_STREAMS_MILLIS = 1_000;

	private final Vertx vertx;

	private final RequestLimits limits;

	private final IntConsumer refused;

	/*
	 * Bytes of all bodies that have not arrived in full: each is bounded, but many slow
	 * ones together would fill the heap.
	 */
	private final AtomicLong unfinished = new AtomicLong();

	/**
	 * Creates an object for one listener.
	 * @param stack whose timers it uses
	 * @param limits what is too much
	 * @param refused is told the HTTP status of each refusal
	 */
	public Bodies(WebStack stack, RequestLimits limits, IntConsumer refused) {
		this.vertx = stack.vertx();
		this.limits = limits;
		this.refused = refused;
	}

	/**
	 * Takes in a request.
	 * @param request the request
	 * @param whole is told its body once that arrived in full, if it does
	 */
	public void receive(HttpServerRequest request, Consumer<Buffer> whole) {
		if (isTooLong(request.getHeader("Content-Length"))) {
			refuse(request, 413, "the request is too large");
		}
		else {
			new Reception(request, whole).begin();
		}
	}

	private boolean isTooLong(@Nullable String length) {
		try {
			return length != null && Long.parseLong(length) > this.limits.body();
		}
		catch (NumberFormatException ex) {
			return true;
		}
	}

	/**
	 * Answers a request whose rest is not wanted, so that the connection or the stream
	 * ends.
	 * @param request the request
	 * @param status the HTTP status
	 * @param text says why
	 */
	public void refuse(HttpServerRequest request, int status, String text) {
		this.refused.accept(status);
		log.debug("Refused request status={} reason=\"{}\"", status, text);
		HttpServerResponse response = request.response();
		if (response.ended() || response.closed()) {
			return;
		}
		boolean single = request.version() != HttpVersion.HTTP_2;
		response.setStatusCode(status).putHeader("Content-Type", "text/plain");
		if (single) {
			response.putHeader("Connection", "close");
		}
		response.end(text).timeout(LAST_STREAMS_MILLIS, TimeUnit.MILLISECONDS).onComplete((sent) -> {
			// What was sent of it still counts against the window of the connection.
			if (single || !request.isEnded() || isNotTaken(sent.cause())) {
				cutOff(request);
			}
		});
	}

	/**
	 * Answers a request that may be sent again in a second.
	 * @param request the request
	 * @param status the HTTP status
	 * @param text says why
	 */
	public void refuseForNow(HttpServerRequest request, int status, String text) {
		request.response().putHeader("Retry-After", "1");
		refuse(request, status, text);
	}

	/**
	 * Watches over an answer that takes long. A stream of HTTP/2 is cut off. A connection
	 * of HTTP/1.1 ends once its answer is sent, or after its idle time if nothing can be.
	 * @param request what was answered
	 * @param end succeeds once the answer is sent
	 */
	public void sent(HttpServerRequest request, Future<Void> end) {
		end.timeout(this.limits.timeout().toMillis(), TimeUnit.MILLISECONDS).onFailure((failure) -> {
			if (!isNotTaken(failure)) {
				return;
			}
			if (request.version() == HttpVersion.HTTP_2) {
				cutOff(request);
			}
			else {
				request.connection().close();
			}
		});
	}

	/**
	 * Ends what a request came by, whatever of its answer is not sent yet.
	 * @param request the request
	 */
	public static void cutOff(HttpServerRequest request) {
		if (request.version() != HttpVersion.HTTP_2) {
			ConnectionEnd.now(request.connection());
			return;
		}
		request.response().reset();
		request.connection().shutdown(LAST_STREAMS_MILLIS);
		ConnectionEnd.after(request.connection(), 2 * LAST_STREAMS_MILLIS);
	}

	/*
	 * A client that reads nothing, as with a window of 0 in HTTP/2, would have its
	 * answers kept for as long as it likes.
	 */
	private static boolean isNotTaken(@Nullable Throwable failure) {
		return failure instanceof TimeoutException;
	}

	/**
	 * One request while its body arrives.
	 */
	private final class Reception {

		private final HttpServerRequest request;

		private final Consumer<Buffer> whole;

		/*
		 * Gone once it arrived in full or is not wanted, as it does not count any more.
		 */
		private @Nullable Buffer body = Buffer.buffer();

		private long timer;

		private Reception(HttpServerRequest request, Consumer<Buffer> whole) {
			this.request = request;
			this.whole = whole;
		}

		private void begin() {
			this.timer = Bodies.this.vertx.setTimer(Bodies.this.limits.timeout().toMillis(), (id) -> {
				if (finish() != null) {
					refuse(this.request, 408, "the request took too long to arrive");
				}
			});
			this.request.handler(this::append).exceptionHandler((failure) -> finish()).endHandler((end) -> {
				Buffer arrived = finish();
				if (arrived != null) {
					this.whole.accept(arrived);
				}
			});
		}

		private void append(Buffer chunk) {
			Buffer arrived = this.body;
			if (arrived == null) {
				return;
			}
			if (arrived.length() + chunk.length() > Bodies.this.limits.body()) {
				finish();
				refuse(this.request, 413, "the request is too large");
				return;
			}
			if (!reserve(chunk.length())) {
				finish();
				refuse(this.request, 503, "too many requests have not arrived in full");
				return;
			}
			arrived.appendBuffer(chunk);
		}

		private boolean reserve(int bytes) {
			AtomicLong unfinished = Bodies.this.unfinished;
			if (unfinished.addAndGet(bytes) > Bodies.this.limits.unfinished()) {
				unfinished.addAndGet(-bytes);
				return false;
			}
			return true;
		}

		/** Returns what arrived, the first time. */
		private @Nullable Buffer finish() {
			Buffer arrived = this.body;
			if (arrived != null) {
				this.body = null;
				Bodies.this.unfinished.addAndGet(-arrived.length());
			}
			Bodies.this.vertx.cancelTimer(this.timer);
			return arrived;
		}

	}

}
