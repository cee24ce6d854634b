package dev.sharding.internal.kubernetes.fence;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Takes the claim of a reconcile along to threads that the reconciler starts, by
 * {@code io.micrometer:context-propagation}. Found as a service.
 */
public final class ClaimThreadLocalAccessor implements ThreadLocalAccessor<ClaimScope.Work> {

	/** The key of the claim in a context. */
	public static final String KEY = "sharding.claim";

	@Override
	public Object key() {
		return KEY;
	}

	@Override
	public ClaimScope.@Nullable Work getValue() {
		return ClaimScope.current();
	}

	@Override
	public void setValue(ClaimScope.Work work) {
		ClaimScope.set(work);
	}

	@Override
	public void setValue() {
		ClaimScope.set(null);
	}

}
