package dev.sharding.internal.kubernetes.qos;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

import dev.sharding.client.NotSentException;
import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Caller;
import dev.sharding.qos.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * One request that no rule is about. Nothing is remembered of it; how the server fares
 * and what costs much is worth knowing all the same.
 */
final class UnlimitedPassage implements Passage {

	private static final CompletableFuture<Void> AT_ONCE = CompletableFuture.completedFuture(null);

	private final Qos qos;

	private final ApiRequest request;

	private final Operation operation;

	private final Caller caller;

	private final long askedAt;

	private volatile @Nullable Answer answer;

	UnlimitedPassage(Qos qos, ApiRequest request, Operation operation, Caller caller) {
		this.qos = qos;
		this.request = request;
		this.operation = operation;
		this.caller = caller;
		this.askedAt = qos.now();
	}

	@Override
	public CompletableFuture<Void> admitted() {
		return AT_ONCE;
	}

	@Override
	public void received(ByteBuffer chunk) {
		Answer begun = this.answer;
		if (begun == null) {
			begun = new Answer(this.request, this.operation);
			this.answer = begun;
		}
		begun.read(chunk);
	}

	@Override
	public void ended(@Nullable Throwable failure) {
		if (failure instanceof NotSentException) {
			return;
		}
		this.qos.server().answered(this.request, failure);
		double millis = (this.qos.now() - this.askedAt) / 1e6;
		Answer received = this.answer;
		double items = Answer.items(received);
		double traffic = Qos.bytesOf(this.request) + Answer.bytes(received);
		if (QosMonitor.isWorthALook(items, traffic, millis)) {
			this.qos.metrics().expensive();
			this.qos.monitor()
				.add((sequence) -> new SeenRequest(sequence, this.qos.clock().instant(), this.request.description(),
						this.caller.controller(), null, 0, false, SeenRequest.counted(items), traffic, millis));
		}
	}

}
