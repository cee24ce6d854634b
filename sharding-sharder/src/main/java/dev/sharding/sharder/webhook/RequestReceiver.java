package dev.sharding.sharder.webhook;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes requests in and answers them, on the event loops of the server. Whatever is not a
 * proper review in time and in size is refused by its HTTP status, which the API server
 * takes for a failed webhook and admits the object.
 */
final class RequestReceiver {

	private static final Logger log = LoggerFactory.getLogger(RequestReceiver.class);

	private static final String JSON = "application/json";

	private static final long LAST_STREAMS_MILLIS = 1_000;

	private final Vertx vertx;

	private final ServerOptions options;

	private final AdmissionHandler handler;

	private final WebhookMetrics metrics;

	private final LongSupplier nanoTime;

	/* Connections without a request so far, and the timer that ends them. */
	private final Map<HttpConnection, Long> silent = new ConcurrentHashMap<>();

	/*
	 * Bytes of all bodies that have not arrived in full: each is bounded, but many slow
	 * ones together would fill the heap.
	 */
	private final AtomicLong unfinished = new AtomicLong();

	RequestReceiver(Vertx vertx, ServerOptions options, AdmissionHandler handler, WebhookMetrics metrics,
			LongSupplier nanoTime) {
		this.vertx = vertx;
		this.options = options;
		this.handler = handler;
		this.metrics = metrics;
		this.nanoTime = nanoTime;
	}

	/* Whoever connects must say what he wants soon. */
	void connected(HttpConnection connection) {
		this.silent.put(connection, this.vertx.setTimer(this.options.requestTimeout().toMillis(), (id) -> {
			log.debug("Closing a connection that sent no request");
			connection.close();
		}));
		connection.closeHandler((closed) -> spoke(connection));
	}

	private void spoke(HttpConnection connection) {
		Long timer = this.silent.remove(connection);
		if (timer != null) {
			this.vertx.cancelTimer(timer);
		}
	}

	void receive(HttpServerRequest request) {
		spoke(request.connection());
		String ring = WebhookPaths.ring(request.path());
		if (ring == null) {
			refuse(request, 404, "no ControllerRing at this path");
		}
		else if (request.method() != HttpMethod.POST) {
			refuse(request, 405, "POST an AdmissionReview");
		}
		else if (!isJson(request.getHeader("Content-Type"))) {
			refuse(request, 415, "Content-Type must be " + JSON);
		}
		else if (isTooLong(request.getHeader("Content-Length"))) {
			refuse(request, 413, "the request is too large");
		}
		else {
			new Reception(request, ring).begin();
		}
	}

	private boolean isTooLong(@Nullable String length) {
		try {
			return length != null && Long.parseLong(length) > this.options.maxBody();
		}
		catch (NumberFormatException ex) {
			return true;
		}
	}

	private static boolean isJson(@Nullable String type) {
		if (type == null) {
			return false;
		}
		int parameters = type.indexOf(';');
		return JSON.equals(((parameters < 0) ? type : type.substring(0, parameters)).trim().toLowerCase(Locale.ROOT));
	}

	/* The rest of the request is not wanted, so the connection or the stream ends. */
	private void refuse(HttpServerRequest request, int status, String text) {
		this.metrics.answered("refused_" + status, 0);
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

	private static void cutOff(HttpServerRequest request) {
		if (request.version() != HttpVersion.HTTP_2) {
			request.connection().close();
			return;
		}
		request.response().reset();
		request.connection().shutdown(LAST_STREAMS_MILLIS);
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

		private final String ring;

		private final long started = RequestReceiver.this.nanoTime.getAsLong();

		/*
		 * Gone once it arrived in full or is not wanted, as it does not count any more.
		 */
		private @Nullable Buffer body = Buffer.buffer();

		private long timer;

		private Reception(HttpServerRequest request, String ring) {
			this.request = request;
			this.ring = ring;
		}

		private void begin() {
			this.timer = RequestReceiver.this.vertx.setTimer(RequestReceiver.this.options.requestTimeout().toMillis(),
					(id) -> {
						if (finish() != null) {
							refuse(this.request, 408, "the request took too long to arrive");
						}
					});
			this.request.handler(this::append).exceptionHandler((failure) -> finish()).endHandler((end) -> {
				Buffer arrived = finish();
				if (arrived != null) {
					answer(arrived);
				}
			});
		}

		private void append(Buffer chunk) {
			Buffer arrived = this.body;
			if (arrived == null) {
				return;
			}
			if (arrived.length() + chunk.length() > RequestReceiver.this.options.maxBody()) {
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
			AtomicLong unfinished = RequestReceiver.this.unfinished;
			if (unfinished.addAndGet(bytes) > RequestReceiver.this.options.maxUnfinished()) {
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
				RequestReceiver.this.unfinished.addAndGet(-arrived.length());
			}
			RequestReceiver.this.vertx.cancelTimer(this.timer);
			return arrived;
		}

		private void answer(Buffer arrived) {
			HttpServerResponse response = this.request.response();
			String outcome;
			try {
				AdmissionHandler.Answer answer = RequestReceiver.this.handler.handle(this.ring, arrived.getBytes());
				outcome = answer.outcome();
				sent(response.putHeader("Content-Type", JSON).end(Buffer.buffer(answer.body())));
			}
			catch (MalformedReviewException ex) {
				outcome = "malformed";
				sent(response.setStatusCode(400).putHeader("Content-Type", "text/plain").end(ex.getMessage()));
			}
			catch (RuntimeException ex) {
				outcome = "failed";
				log.error("Failed to answer an AdmissionReview ring={}", this.ring, ex);
				sent(response.setStatusCode(500).end());
			}
			RequestReceiver.this.metrics.answered(outcome, RequestReceiver.this.nanoTime.getAsLong() - this.started);
		}

		private void sent(Future<Void> end) {
			end.timeout(RequestReceiver.this.options.requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
				.onFailure((failure) -> {
					if (isNotTaken(failure)) {
						cutOff(this.request);
					}
				});
		}

	}

}
