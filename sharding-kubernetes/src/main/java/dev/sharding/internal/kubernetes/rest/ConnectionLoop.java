package dev.sharding.internal.kubernetes.rest;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.fabric8.kubernetes.client.http.StandardHttpClient;
import io.fabric8.kubernetes.client.http.StandardHttpClientBuilder;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.impl.HttpClientConnection;
import org.jspecify.annotations.Nullable;

/**
 * Has requests over a Vert.x client go on, once they have a connection, on the event loop
 * of that connection. By itself each caller's thread has an event loop of its own, which
 * leaves what it writes to the one of the connection. Loaded only where Vert.x is used.
 *
 * @param client the client below
 */
record ConnectionLoop(HttpClient client) implements InvocationHandler {

	/** What this thread asked for last, until it has said what is to follow. */
	private static final ThreadLocal<@Nullable Consumer<CompletableFuture<?>>> asked = new ThreadLocal<>();

	/**
	 * Returns a client that shares the connections of another one.
	 * @param vertx a client of Vert.x
	 * @param builder a builder made by it
	 * @return {@code vertx} itself if it is made in another way than is known here
	 */
	static StandardHttpClient<?, ?, ?> over(StandardHttpClient<?, ?, ?> vertx,
			StandardHttpClientBuilder<?, ?, ?> builder) {
		try {
			Method below = vertx.getClass().getDeclaredMethod("getClient");
			below.setAccessible(true);
			Object hopping = Proxy.newProxyInstance(HttpClient.class.getClassLoader(),
					new Class<?>[] { HttpClient.class }, new ConnectionLoop((HttpClient) below.invoke(vertx)));
			Constructor<?> made = vertx.getClass()
				.getDeclaredConstructor(builder.getClass(), AtomicBoolean.class, HttpClient.class, boolean.class);
			made.setAccessible(true);
			return (StandardHttpClient<?, ?, ?>) made.newInstance(builder, new AtomicBoolean(), hopping, false);
		}
		catch (ReflectiveOperationException | RuntimeException | LinkageError ex) {
			LastLookHttpClient.tellOnce(vertx.getClass(), ex.toString());
			return vertx;
		}
	}

	/**
	 * Sends a request, and has it go on when all that follows is known: what is added to
	 * a future that is done runs on the thread that adds it.
	 * @param sending sends over what {@link #over} has returned
	 * @return what {@code sending} returns
	 */
	static <R> CompletableFuture<R> send(Supplier<CompletableFuture<R>> sending) {
		try {
			CompletableFuture<R> sent = sending.get();
			Consumer<CompletableFuture<?>> begin = asked.get();
			if (begin != null) {
				begin.accept(sent);
			}
			return sent;
		}
		finally {
			asked.remove();
		}
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		try {
			Object result = method.invoke(this.client, arguments);
			return (method.getName().equals("request") && result instanceof Future<?> connected) ? there(connected)
					: result;
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	/* A promise of no context, as any other would bring its listeners back to that. */
	private static Future<Object> there(Future<?> connected) {
		Promise<Object> there = Promise.promise();
		asked.set((sent) -> connected.onComplete((answer) -> {
			if (answer.succeeded() && answer.result() instanceof HttpClientRequest request
					&& request.connection() instanceof HttpClientConnection connection) {
				connection.getContext().runOnContext((nothing) -> goOn(request, there, sent));
			}
			else if (answer.succeeded()) {
				there.complete(answer.result());
			}
			else {
				there.fail(answer.cause());
			}
		}));
		return there.future();
	}

	/*
	 * Nobody ends a request whose body was refused: it would hold its connection until
	 * its time-out. Nothing of it was written, so the connection is as good as before.
	 */
	private static void goOn(HttpClientRequest request, Promise<Object> there, CompletableFuture<?> sent) {
		// Whoever sends hears it by the future; without a handler it is logged as an
		// error.
		request.exceptionHandler((failure) -> {
		});
		there.complete(request);
		if (sent.isCompletedExceptionally()) {
			request.reset();
		}
	}

}
