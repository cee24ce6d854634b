package dev.sharding.internal.sharder.app.management;

import java.util.Locale;

import dev.sharding.internal.sharder.http.Bodies;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets those requests pass whose sender may do that at their path.
 */
final class GuardedHandler implements Handler<HttpServerRequest> {

	private static final Logger log = LoggerFactory.getLogger(GuardedHandler.class);

	private final AccessReviews access;

	private final Bodies bodies;

	private final Handler<HttpServerRequest> next;

	/**
	 * Creates a guard.
	 * @param access knows who may
	 * @param bodies refuses the others
	 * @param next answers what passes
	 */
	GuardedHandler(AccessReviews access, Bodies bodies, Handler<HttpServerRequest> next) {
		this.access = access;
		this.bodies = bodies;
		this.next = next;
	}

	@Override
	public void handle(HttpServerRequest request) {
		String path = (request.path() != null) ? request.path() : "";
		String verb = request.method().name().toLowerCase(Locale.ROOT);
		request.pause();
		Future
			.fromCompletionStage(this.access.check(request.getHeader("Authorization"), verb, path),
					Vertx.currentContext())
			.onComplete((verdict) -> {
				request.resume();
				if (verdict.failed()) {
					log.warn("Failed to ask the API server who may read {}: {}", path, verdict.cause().toString());
					this.bodies.refuseForNow(request, 503, "the API server does not say who may");
				}
				else if (verdict.result() == AccessReviews.Verdict.TOO_MANY) {
					this.bodies.refuseForNow(request, verdict.result().status(), verdict.result().text());
				}
				else if (verdict.result() != AccessReviews.Verdict.ALLOWED) {
					this.bodies.refuse(request, verdict.result().status(), verdict.result().text());
				}
				else {
					this.next.handle(request);
				}
			});
	}

}
