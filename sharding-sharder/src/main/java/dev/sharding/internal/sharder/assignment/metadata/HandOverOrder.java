package dev.sharding.internal.sharder.assignment.metadata;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * In which order the objects of a hand-over get their new label, once the old claim has
 * ended. There is one right order; this is a value so that the negative control of the
 * safety tests ({@code --break order}) can construct a sharder with a wrong one and show
 * that the judge notices. Nothing that a user can set leads here.
 */
public interface HandOverOrder {

	/** Controlled objects first, so that the new owner finds what the old one made. */
	HandOverOrder CONTROLLED_OBJECTS_FIRST = new ControlledObjectsFirst();

	/**
	 * Carries out one hand-over.
	 * @param <T> what comes of the main object
	 * @param controlled moves the controlled objects, or waits until they have moved;
	 * {@code false} if that must begin anew
	 * @param main moves the main object; told what came of the controlled ones
	 * @return what came of the main object
	 */
	<T> CompletableFuture<T> run(Supplier<CompletableFuture<Boolean>> controlled,
			Function<Boolean, CompletableFuture<T>> main);

}
