package dev.sharding.internal.sharder.app;

import java.nio.ByteBuffer;
import java.util.List;

import io.fabric8.kubernetes.client.http.AsyncBody.Consumer;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Counts the requests of a client by what the API server answered, under the name and
 * with the tags that client-go has for it. The client tells of no request without an
 * answer unless it retries it, so these are left out.
 */
final class RequestCounter implements Interceptor {

	private final MeterRegistry registry;

	RequestCounter(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void after(HttpRequest request, HttpResponse<?> response, Consumer<List<ByteBuffer>> body) {
		this.registry
			.counter("rest.client.requests", "method", request.method(), "code", String.valueOf(response.code()))
			.increment();
	}

}
