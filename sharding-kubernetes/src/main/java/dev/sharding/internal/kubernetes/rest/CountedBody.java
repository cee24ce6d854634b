package dev.sharding.internal.kubernetes.rest;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpResponse;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.RequestThrottle.Passage;

/**
 * Has a passage see the answer that goes to a caller, and keeps the beginning of one that
 * is no success, which tells whom it is about.
 */
final class CountedBody implements AsyncBody.Consumer<List<ByteBuffer>> {

	private static final int KEPT = 64 << 10;

	private final Passage passage;

	private final AsyncBody.Consumer<List<ByteBuffer>> consumer;

	private final ByteArrayOutputStream text = new ByteArrayOutputStream(0);

	private volatile boolean refused;

	CountedBody(Passage passage, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		this.passage = passage;
		this.consumer = consumer;
	}

	/** The answer begins; its body comes when somebody asks for it. */
	HttpResponse<AsyncBody> begun(HttpResponse<AsyncBody> response) {
		this.refused = !response.isSuccessful();
		return response;
	}

	/** What an answer that is no success says. To be called when it has ended. */
	ByteArrayOutputStream text() {
		return this.text;
	}

	@Override
	public void consume(List<ByteBuffer> chunks, AsyncBody body) throws Exception {
		for (ByteBuffer chunk : chunks) {
			this.passage.received(chunk.asReadOnlyBuffer());
			if (this.refused) {
				ByteBuffer copy = chunk.asReadOnlyBuffer();
				byte[] some = new byte[Math.min(copy.remaining(), KEPT - this.text.size())];
				copy.get(some);
				this.text.writeBytes(some);
			}
		}
		this.consumer.consume(chunks, body);
	}

	@Override
	public <U> @Nullable U unwrap(Class<U> target) {
		return this.consumer.unwrap(target);
	}

}
