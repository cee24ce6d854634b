package dev.sharding.internal.sharder.app.management;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.internal.sharder.http.Bodies;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.util.StringUtils;

/**
 * Answers the requests of one listener by the operations of endpoints. These may block,
 * so they run on workers.
 */
final class EndpointHandler implements Handler<HttpServerRequest> {

	private static final Logger log = LoggerFactory.getLogger(EndpointHandler.class);

	/* Each holds its body and waits for a worker. */
	private static final int MOST = 64;

	private static final EndpointAnswer FAILED = EndpointAnswer.text(500, "the endpoint failed");

	private final EndpointPaths paths;

	private final WebServerNamespace namespace;

	private final WorkerExecutor workers;

	private final Bodies bodies;

	private final long patienceMillis;

	private final AtomicInteger waiting = new AtomicInteger();

	/**
	 * Creates a handler.
	 * @param paths what is where
	 * @param namespace which listener it is
	 * @param workers run what may block
	 * @param bodies takes bodies in
	 * @param patience how long an endpoint may take
	 */
	EndpointHandler(EndpointPaths paths, WebServerNamespace namespace, WorkerExecutor workers, Bodies bodies,
			Duration patience) {
		this.paths = paths;
		this.namespace = namespace;
		this.workers = workers;
		this.bodies = bodies;
		this.patienceMillis = patience.toMillis();
	}

	@Override
	public void handle(HttpServerRequest request) {
		String path = request.path();
		WebEndpointHttpMethod method = method(request.method());
		if (path == null || method == null) {
			this.bodies.refuse(request, 405, "no endpoint knows this method");
		}
		else {
			this.bodies.receive(request, (body) -> answer(request, path, method, body));
		}
	}

	private static @Nullable WebEndpointHttpMethod method(HttpMethod method) {
		return switch (method.name()) {
			case "GET", "HEAD" -> WebEndpointHttpMethod.GET;
			case "POST" -> WebEndpointHttpMethod.POST;
			case "DELETE" -> WebEndpointHttpMethod.DELETE;
			default -> null;
		};
	}

	private void answer(HttpServerRequest request, String path, WebEndpointHttpMethod method, Buffer body) {
		EndpointCall call;
		try {
			StringUtils.uriDecode(path, StandardCharsets.UTF_8);
			call = new EndpointCall(method, parameters(request), request.headers().getAll("Accept"),
					request.getHeader("Content-Type"), body.toString(), this.namespace);
		}
		catch (IllegalArgumentException ex) {
			this.bodies.refuse(request, 400, "the path or the query is malformed");
			return;
		}
		if (this.waiting.incrementAndGet() > MOST) {
			this.waiting.decrementAndGet();
			this.bodies.refuseForNow(request, 503, "too many requests wait");
			return;
		}
		String uri = request.absoluteURI();
		String url = (uri != null) ? uri.replaceFirst("[?#].*", "") : path;
		// Who holds a worker keeps his place for as long as he does.
		Future<EndpointAnswer> answer = this.workers
			.<CompletionStage<EndpointAnswer>>executeBlocking(() -> this.paths.answer(path, url, call), false)
			.compose((stage) -> Future.fromCompletionStage(stage).timeout(this.patienceMillis, TimeUnit.MILLISECONDS))
			.onComplete((over) -> this.waiting.decrementAndGet());
		answer.timeout(this.patienceMillis, TimeUnit.MILLISECONDS)
			.onSuccess((made) -> send(request, made))
			.onFailure((failure) -> {
				if (failure instanceof TimeoutException) {
					log.warn("An endpoint did not answer in time path={}", path);
					this.bodies.refuseForNow(request, 503, "the endpoint did not answer in time");
				}
				else {
					log.error("Failed to answer a request path={}", path, failure);
					send(request, FAILED);
				}
			});
	}

	private static Map<String, List<String>> parameters(HttpServerRequest request) {
		Map<String, List<String>> parameters = new HashMap<>();
		request.params().names().forEach((name) -> parameters.put(name, request.params().getAll(name)));
		return parameters;
	}

	private void send(HttpServerRequest request, EndpointAnswer answer) {
		HttpServerResponse response = request.response();
		if (response.ended() || response.closed()) {
			return;
		}
		response.setStatusCode(answer.status());
		if (answer.type() != null) {
			response.putHeader("Content-Type", answer.type());
		}
		this.bodies.sent(request,
				(request.method() == HttpMethod.HEAD) ? response.end() : response.end(Buffer.buffer(answer.body())));
	}

}
