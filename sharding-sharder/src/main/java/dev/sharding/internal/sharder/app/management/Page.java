package dev.sharding.internal.sharder.app.management;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

import dev.sharding.internal.sharder.http.Bodies;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * The page for people: three files and a stream of what the endpoint {@code rings} says.
 * It only shows. All other requests go on to whoever is behind it.
 */
final class Page implements Handler<HttpServerRequest> {

	static final String PATH = "/ui";

	private static final String ROOT = PATH + "/";

	private static final String EVENTS = ROOT + "events";

	private static final String HTML = "text/html; charset=utf-8";

	/* Nothing but our own files, and nothing inline: a name cannot become a script. */
	private static final Map<String, String> HEADERS = Map.of("Content-Security-Policy",
			"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:;"
					+ " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options", "nosniff", "Referrer-Policy", "no-referrer", "Cross-Origin-Resource-Policy",
			"same-origin", "Cross-Origin-Opener-Policy", "same-origin", "Cache-Control", "no-store");

	/* By path: no other file can be named. */
	private final Map<String, File> files = Map.of(ROOT, File.of("index.html", HTML), ROOT + "page.css",
			File.of("page.css", "text/css; charset=utf-8"), ROOT + "page.js",
			File.of("page.js", "text/javascript; charset=utf-8"));

	private final PageStreams streams;

	private final Bodies bodies;

	private final Handler<HttpServerRequest> others;

	/**
	 * Creates a page.
	 * @param streams sends what there is to show
	 * @param bodies takes bodies in
	 * @param others answers what is not for the page
	 */
	Page(PageStreams streams, Bodies bodies, Handler<HttpServerRequest> others) {
		this.streams = streams;
		this.bodies = bodies;
		this.others = others;
	}

	@Override
	public void handle(HttpServerRequest request) {
		String path = request.path();
		if (path == null || !path.equals(PATH) && !path.startsWith(ROOT)) {
			this.others.handle(request);
			return;
		}
		if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
			request.response().putHeader("Allow", "GET, HEAD");
			this.bodies.refuse(request, 405, "the page only shows");
			return;
		}
		this.bodies.receive(request, (body) -> answer(request, path));
	}

	private void answer(HttpServerRequest request, String path) {
		HttpServerResponse response = request.response();
		if (response.ended() || response.closed()) {
			return;
		}
		HEADERS.forEach(response::putHeader);
		File file = this.files.get(path);
		if (path.equals(EVENTS) && request.method() == HttpMethod.GET) {
			this.streams.open(request);
		}
		else if (path.equals(PATH)) {
			// Relative, as there may be a proxy that adds to the path.
			this.bodies.sent(request, response.setStatusCode(308).putHeader("Location", "ui/").end());
		}
		else if (file == null) {
			this.bodies.refuse(request, 404, "the page has no such file");
		}
		else {
			response.putHeader("Content-Type", file.type());
			this.bodies.sent(request,
					(request.method() == HttpMethod.HEAD) ? response.end() : response.end(file.content()));
		}
	}

	private record File(String type, Buffer content) {

		private static File of(String name, String type) {
			try (InputStream stream = Page.class.getResourceAsStream("page/" + name)) {
				if (stream == null) {
					throw new IllegalStateException("The jar has no file page/" + name);
				}
				return new File(type, Buffer.buffer(stream.readAllBytes()));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
