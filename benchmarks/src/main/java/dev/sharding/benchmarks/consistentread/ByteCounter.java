package dev.sharding.benchmarks.consistentread;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;

/** Counts the bytes of all answers of a client, as its parsers get them. */
final class ByteCounter implements Interceptor {

	private final AtomicLong bytes = new AtomicLong();

	long bytes() {
		return this.bytes.get();
	}

	@Override
	public AsyncBody.Consumer<List<ByteBuffer>> consumer(AsyncBody.Consumer<List<ByteBuffer>> consumer,
			HttpRequest request) {
		return new AsyncBody.Consumer<>() {

			@Override
			public void consume(List<ByteBuffer> value, AsyncBody body) throws Exception {
				value.forEach((buffer) -> ByteCounter.this.bytes.addAndGet(buffer.remaining()));
				consumer.consume(value, body);
			}

			@Override
			public <U> U unwrap(Class<U> target) {
				return consumer.unwrap(target);
			}

		};
	}

}
