package dev.sharding.internal.sharder.ui;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import dev.sharding.internal.sharder.http.Bodies;
import io.vertx.core.Handler;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.TrustOptions;
import org.jspecify.annotations.Nullable;

/**
 * Passes on what a browser asks for to the page of the sharder, with the token. The
 * browser has a cookie instead, which it got by a link, and never sees the token. What is
 * no part of the page is not passed on.
 */
public final class Relay implements Handler<HttpServerRequest> {

	/* Each open page has one for its stream. */
	private static final int CONNECTIONS = 32;

	private static final String ENTER = "/enter/";

	private static final String PAGE = "/ui/";

	private static final Set<String> PASSED = Set.of(PAGE, "/ui/page.css", "/ui/page.js", "/ui/events",
			"/actuator/rings");

	private static final List<String> HEADERS = List.of("Content-Type", "Content-Security-Policy",
			"X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy",
			"Cache-Control", "Retry-After");

	/*
	 * No redirect: the request that follows must come from here, not from wherever the
	 * link was clicked, to carry the cookie.
	 */
	private static final String WELCOME = """
			<!doctype html><html lang="en"><meta charset="utf-8"><title>Rings</title>\
			<meta http-equiv="refresh" content="0;url=/ui/"><a href="/ui/">Rings</a></html>
			""";

	private final Visitors visitors;

	private final Supplier<@Nullable Target> target;

	private final HttpClient client;

	private final Bodies bodies;

	/**
	 * Creates a relay.
	 * @param visitors knows who may look
	 * @param target where the page is now, {@code null} while that is not known
	 * @param client asks there
	 * @param bodies refuses what may not pass
	 */
	public Relay(Visitors visitors, Supplier<@Nullable Target> target, HttpClient client, Bodies bodies) {
		this.visitors = visitors;
		this.target = target;
		this.client = client;
		this.bodies = bodies;
	}

	/**
	 * How to connect to the sharder.
	 * @param tunnel whether that is by a {@link Tunnel}; then its certificate does not
	 * count
	 * @return the options of the client
	 */
	public static HttpClientOptions clientOptions(boolean tunnel) {
		HttpClientOptions options = new HttpClientOptions().setMaxPoolSize(CONNECTIONS);
		return tunnel ? options.setTrustOptions(TrustOptions.wrap(new TunnelTrust())) : options;
	}

	@Override
	public void handle(HttpServerRequest request) {
		String path = (request.path() != null) ? request.path() : "";
		int port = request.localAddress().port();
		String host = request.getHeader("Host");
		if (!("127.0.0.1:" + port).equals(host) && !("localhost:" + port).equals(host)) {
			// A name that somebody makes point here is no name of ours.
			this.bodies.refuse(request, 421, "this host is not known here");
		}
		else if (!request.method().equals(HttpMethod.GET)) {
			request.response().putHeader("Allow", "GET");
			this.bodies.refuse(request, 405, "the page only shows");
		}
		else if (path.startsWith(ENTER)) {
			enter(request, path.substring(ENTER.length()), cookie(port));
		}
		else if (!this.visitors.isAdmitted(shown(request, cookie(port)))) {
			this.bodies.refuse(request, 401, "open the link that 'kubectl sharding ui' has printed");
		}
		else if (!PASSED.contains(path)) {
			this.bodies.refuse(request, 404, "the page has no such file");
		}
		else {
			this.bodies.receive(request, (body) -> pass(request, path));
		}
	}

	/* Cookies do not tell ports apart. */
	private static String cookie(int port) {
		return "sharding-" + port;
	}

	private static @Nullable String shown(HttpServerRequest request, String name) {
		Cookie cookie = request.getCookie(name);
		return (cookie != null) ? cookie.getValue() : null;
	}

	private void enter(HttpServerRequest request, String invitation, String name) {
		String admitted = this.visitors.admit(invitation);
		if (admitted == null) {
			this.bodies.refuse(request, 403, "this link was used before, or is none: start 'kubectl sharding ui' anew");
			return;
		}
		this.bodies.sent(request, request.response()
			.addCookie(Cookie.cookie(name, admitted).setHttpOnly(true).setSameSite(CookieSameSite.STRICT).setPath("/"))
			.putHeader("Content-Type", "text/html; charset=utf-8")
			.putHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
			.putHeader("Referrer-Policy", "no-referrer")
			.putHeader("Cache-Control", "no-store")
			.end(WELCOME));
	}

	private void pass(HttpServerRequest request, String path) {
		Target now = this.target.get();
		if (now == null) {
			this.bodies.refuseForNow(request, 503, "there is no leader to ask at the moment");
			return;
		}
		RequestOptions options = new RequestOptions().setHost(now.url().getHost())
			.setPort(now.port())
			.setSsl(now.isSecure())
			.setURI(path);
		if (now.token() != null) {
			options.putHeader("Authorization", "Bearer " + now.token());
		}
		this.client.request(options).compose((asked) -> {
			request.response().closeHandler((closed) -> asked.reset());
			return asked.send();
		}).onSuccess((answer) -> pass(request, answer)).onFailure((failure) -> {
			if (!request.response().headWritten()) {
				this.bodies.refuseForNow(request, 502, "the sharder does not answer: " + failure);
			}
		});
	}

	private static void pass(HttpServerRequest request, HttpClientResponse answer) {
		HttpServerResponse response = request.response();
		if (response.ended() || response.closed()) {
			return;
		}
		response.setStatusCode(answer.statusCode()).setChunked(true);
		HEADERS.forEach((name) -> {
			String value = answer.getHeader(name);
			if (value != null) {
				response.putHeader(name, value);
			}
		});
		answer.pipeTo(response).onFailure((failure) -> Bodies.cutOff(request));
	}

}
