package dev.sharding.internal.kubernetes.qos;

import java.nio.ByteBuffer;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * How much came of an answer. Written and read by one thread at a time.
 */
final class Answer {

	private final Operation operation;

	private final boolean counted;

	private final ItemCounter counter = new ItemCounter();

	private long bytes;

	Answer(ApiRequest request, Operation operation) {
		this.operation = operation;
		// What is asked for as protobuf is bytes without objects, as far as we can tell.
		this.counted = operation == Operation.LIST && !request.accept().contains("protobuf");
	}

	void read(ByteBuffer chunk) {
		this.bytes += chunk.remaining();
		if (this.counted) {
			this.counter.read(chunk);
		}
	}

	static long bytes(@Nullable Answer answer) {
		return (answer != null) ? answer.bytes : 0;
	}

	/** The objects in it; {@link Double#NaN} if that has no sense. */
	static double items(@Nullable Answer answer) {
		if (answer == null) {
			return Double.NaN;
		}
		return switch (answer.operation) {
			case GET -> 1;
			case LIST -> answer.counted ? answer.counter.items() : Double.NaN;
			default -> Double.NaN;
		};
	}

}
