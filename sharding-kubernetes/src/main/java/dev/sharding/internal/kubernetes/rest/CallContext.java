package dev.sharding.internal.kubernetes.rest;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import dev.sharding.client.RequestThrottle;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.WebSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What a throttle reads of its caller's logging context. Whoever sends more than one
 * request for a call takes it along, as the later ones are made on other threads; what
 * fabric8 hands from one try to the next carries it.
 *
 * @param controller the controller that made the call, or {@code null}
 */
public record CallContext(@Nullable String controller) {

	private static final String CONTROLLER = "controller";

	private static final CallContext NONE = new CallContext(null);

	/**
	 * Returns the context of this thread.
	 * @return the context
	 */
	public static CallContext capture() {
		String controller = MDC.get(CONTROLLER);
		return (controller != null) ? new CallContext(controller) : NONE;
	}

	/** Returns the context that came along, else that of this thread. */
	static CallContext of(AsyncBody.Consumer<?> consumer) {
		CallContext known = consumer.unwrap(CallContext.class);
		return (known != null) ? known : capture();
	}

	/** Returns the context that came along, else that of this thread. */
	static CallContext of(WebSocket.Listener listener) {
		return (listener instanceof Listener called) ? called.context : capture();
	}

	/**
	 * Does something as if on the thread of the caller.
	 * @param action sends requests
	 * @param <R> what it returns
	 * @return what it returns
	 */
	public <R extends @Nullable Object> R call(Supplier<R> action) {
		String here = MDC.get(CONTROLLER);
		if (Objects.equals(here, this.controller)) {
			return action.get();
		}
		put(this.controller);
		try {
			return action.get();
		}
		finally {
			put(here);
		}
	}

	/** Enters as if on the thread of the caller. */
	@Nullable Passage enter(RequestThrottle throttle, ApiRequest request) {
		return this.<@Nullable Passage>call(() -> throttle.enter(request));
	}

	private static void put(@Nullable String controller) {
		if (controller != null) {
			MDC.put(CONTROLLER, controller);
		}
		else {
			MDC.remove(CONTROLLER);
		}
	}

	AsyncBody.Consumer<List<ByteBuffer>> goWith(AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		return new AsyncBody.Consumer<>() {

			@Override
			public void consume(List<ByteBuffer> chunks, AsyncBody body) throws Exception {
				consumer.consume(chunks, body);
			}

			@Override
			public <U> @Nullable U unwrap(Class<U> target) {
				return (target == CallContext.class) ? target.cast(CallContext.this) : consumer.unwrap(target);
			}

		};
	}

	WebSocket.Listener goWith(WebSocket.Listener listener) {
		return new Listener(this, listener);
	}

	/** A listener with the context of who opened it. */
	private static final class Listener implements WebSocket.Listener {

		private final CallContext context;

		private final WebSocket.Listener delegate;

		Listener(CallContext context, WebSocket.Listener delegate) {
			this.context = context;
			this.delegate = delegate;
		}

		@Override
		public void onOpen(WebSocket socket) {
			this.delegate.onOpen(socket);
		}

		@Override
		public void onMessage(WebSocket socket, String text) {
			this.delegate.onMessage(socket, text);
		}

		@Override
		public void onMessage(WebSocket socket, ByteBuffer bytes) {
			this.delegate.onMessage(socket, bytes);
		}

		@Override
		public void onClose(WebSocket socket, int code, String reason) {
			this.delegate.onClose(socket, code, reason);
		}

		@Override
		public void onError(WebSocket socket, Throwable error) {
			this.delegate.onError(socket, error);
		}

	}

}
