package dev.sharding.internal.kubernetes.cache;

import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import dev.sharding.resource.ObjectKey;

/**
 * Who writes through the caches: a controller that works on one object. Events of such
 * writes do not come back to it. Writes outside of {@link #call} have no writer, their
 * events come to everybody.
 *
 * @param controller the controller
 * @param key the object that it works on
 */
public record Writer(Object controller, ObjectKey key) {

	private static final ThreadLocal<@Nullable Writer> CURRENT = new ThreadLocal<>();

	/**
	 * Runs {@code work} as this writer, on this thread.
	 * @param <R> what it returns
	 * @param work the work
	 * @return what the work returned
	 * @throws Exception if the work does
	 */
	public <R> R call(Callable<R> work) throws Exception {
		Writer outer = CURRENT.get();
		CURRENT.set(this);
		try {
			return work.call();
		}
		finally {
			if (outer != null) {
				CURRENT.set(outer);
			}
			else {
				CURRENT.remove();
			}
		}
	}

	static Object current() {
		Writer writer = CURRENT.get();
		return (writer != null) ? writer : Nobody.NOBODY;
	}

	private enum Nobody {

		NOBODY

	}

}
