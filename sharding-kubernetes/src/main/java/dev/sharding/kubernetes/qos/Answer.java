package dev.sharding.kubernetes.qos;

import java.nio.ByteBuffer;

import dev.sharding.core.qos.Operation;
import org.jspecify.annotations.Nullable;

/**
 * How much came of an answer. Written and read by one thread at a time.
 */
final class Answer {

	private final Operation operation;

	private final ItemCounter counter = new ItemCounter();

	private long bytes;

	Answer(Operation operation) {
		this.operation = operation;
	}

	void read(ByteBuffer chunk) {
		this.bytes += chunk.remaining();
		if (this.operation == Operation.LIST) {
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
			case LIST -> answer.counter.items();
			default -> Double.NaN;
		};
	}

}
