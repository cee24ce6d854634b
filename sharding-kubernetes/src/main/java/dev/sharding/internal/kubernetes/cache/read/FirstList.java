package dev.sharding.internal.kubernetes.cache.read;

import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import dev.sharding.cache.CacheNotFilledException;
import dev.sharding.cache.CacheNotFilledException.Reason;
import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.internal.core.read.Filling;
import dev.sharding.internal.core.read.FirstRead;
import dev.sharding.internal.kubernetes.cache.check.ReadMeters;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.rest.TransportThread;
import dev.sharding.resource.ResourceType;

/**
 * Holds up who reads memory that was never filled, which would say that nothing exists:
 * until it is, or until it is known why to wait would not help.
 */
public final class FirstList {

	private static final String STRATEGY = "fill";

	private final ResourceType<?> type;

	private final LongSupplier nanos;

	private final ReadMeters meters;

	public FirstList(ResourceType<?> type, LongSupplier nanos, ReadMeters meters) {
		this.type = type;
		this.nanos = nanos;
		this.meters = meters;
	}

	/**
	 * Waits for the first list.
	 * @param namespace the namespace that is read; empty for all
	 * @param freshness says how long, and who may end the wait
	 * @throws CacheNotFilledException if it does not come, or not in time
	 */
	public void await(Informer<?> informer, String namespace, Freshness freshness) {
		if (informer.filling(namespace) == Filling.FILLED) {
			return;
		}
		ReadWait wait = new ReadWait(this.type, this.nanos, freshness.limit(), freshness.cancellation());
		try {
			while (isMissing(informer, namespace)) {
				await(informer, namespace, wait);
			}
			this.meters.read(STRATEGY, "filled", wait.waited());
		}
		catch (CacheNotFilledException ex) {
			this.meters.read(STRATEGY, ReadMeters.name(ex.reason()), wait.waited());
			throw ex;
		}
	}

	/**
	 * Whether there is something to wait for.
	 * @throws CacheNotFilledException if there is nothing that could come
	 */
	private boolean isMissing(Informer<?> informer, String namespace) {
		boolean needed = informer.isOwnThread() || TransportThread.isCurrent();
		return switch (FirstRead.of(informer.filling(namespace), needed)) {
			case ANSWER -> false;
			case WAIT -> true;
			case NOT_STARTED -> throw notStarted(this.type);
			case REFUSED -> throw refused(informer);
			case THREAD -> throw failure(this.type, Reason.THREAD,
					"is not filled yet, and thread %s, which fills it, must not wait for that; read on another one"
						.formatted(Thread.currentThread().getName()),
					null);
			case CLOSED -> throw failure(this.type, Reason.CLOSED, "was closed before it was filled", null);
		};
	}

	private void await(Informer<?> informer, String namespace, ReadWait wait) {
		try {
			wait.await(informer.settled(namespace));
		}
		catch (ConsistentReadException ex) {
			String error = informer.status().lastError();
			throw (ex.reason() == ConsistentReadException.Reason.DEADLINE)
					? failure(this.type, Reason.DEADLINE,
							"was not filled within %d ms%s".formatted(wait.limit().toMillis(),
									(error != null) ? ", the last error is: " + error : ""),
							ex)
					: failure(this.type, Reason.CANCELLED, "is not filled yet, and the wait for that was ended", ex);
		}
	}

	CacheNotFilledException refused(Informer<?> informer) {
		return failure(this.type, Reason.REFUSED,
				"was never filled, as the API server refuses that: %s; give the right to list and watch it, or install the resource"
					.formatted(informer.status().lastError()),
				null);
	}

	public static CacheNotFilledException notStarted(ResourceType<?> type) {
		return failure(type, Reason.NOT_STARTED,
				"cannot be read yet: it fills when the application starts, after all beans were made; read it in a reconcile or an ApplicationRunner",
				null);
	}

	public static CacheNotFilledException standby(ResourceType<?> type) {
		return failure(type, Reason.STANDBY,
				"cannot be read now: this process stands by, and what it will own is known when it holds a slot", null);
	}

	public static CacheNotFilledException termEnded(ResourceType<?> type) {
		return failure(type, Reason.TERM_ENDED,
				"cannot be read by work of a term that is over: the Lease was lost meanwhile", null);
	}

	private static CacheNotFilledException failure(ResourceType<?> type, Reason reason, String text,
			@Nullable Throwable cause) {
		return new CacheNotFilledException(reason, "The cache of %s %s".formatted(type, text), cause);
	}

}
