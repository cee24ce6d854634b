package dev.sharding.internal.sharder.assignment.metadata;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The order of design and protocol section 4.
 */
final class ControlledObjectsFirst implements HandOverOrder {

	@Override
	public <T> CompletableFuture<T> run(Supplier<CompletableFuture<Boolean>> controlled,
			Function<Boolean, CompletableFuture<T>> main) {
		return controlled.get().thenCompose(main);
	}

}
