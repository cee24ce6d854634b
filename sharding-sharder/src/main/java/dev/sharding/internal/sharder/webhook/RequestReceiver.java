package dev.sharding.internal.sharder.webhook;

import java.util.Locale;
import java.util.function.LongSupplier;

import dev.sharding.internal.sharder.http.Bodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
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

	private final Bodies bodies;

	private final AdmissionHandler handler;

	private final WebhookMetrics metrics;

	private final LongSupplier nanoTime;

	RequestReceiver(Bodies bodies, AdmissionHandler handler, WebhookMetrics metrics, LongSupplier nanoTime) {
		this.bodies = bodies;
		this.handler = handler;
		this.metrics = metrics;
		this.nanoTime = nanoTime;
	}

	void receive(HttpServerRequest request) {
		String ring = WebhookPaths.ring(request.path());
		if (ring == null) {
			this.bodies.refuse(request, 404, "no ControllerRing at this path");
		}
		else if (request.method() != HttpMethod.POST) {
			this.bodies.refuse(request, 405, "POST an AdmissionReview");
		}
		else if (!isJson(request.getHeader("Content-Type"))) {
			this.bodies.refuse(request, 415, "Content-Type must be " + JSON);
		}
		else {
			long started = this.nanoTime.getAsLong();
			this.bodies.receive(request, (body) -> answer(request, ring, body, started));
		}
	}

	private static boolean isJson(@Nullable String type) {
		if (type == null) {
			return false;
		}
		int parameters = type.indexOf(';');
		return JSON.equals(((parameters < 0) ? type : type.substring(0, parameters)).trim().toLowerCase(Locale.ROOT));
	}

	private void answer(HttpServerRequest request, String ring, Buffer body, long started) {
		HttpServerResponse response = request.response();
		String outcome;
		try {
			AdmissionHandler.Answer answer = this.handler.handle(ring, body.getBytes());
			outcome = answer.outcome();
			this.bodies.sent(request, response.putHeader("Content-Type", JSON).end(Buffer.buffer(answer.body())));
		}
		catch (MalformedReviewException ex) {
			outcome = "malformed";
			this.bodies.sent(request,
					response.setStatusCode(400).putHeader("Content-Type", "text/plain").end(ex.getMessage()));
		}
		catch (RuntimeException ex) {
			outcome = "failed";
			log.error("Failed to answer an AdmissionReview ring={}", ring, ex);
			this.bodies.sent(request, response.setStatusCode(500).end());
		}
		this.metrics.answered(outcome, this.nanoTime.getAsLong() - started);
	}

}
