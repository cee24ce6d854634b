package dev.sharding.internal.kubernetes.cache.read;

import org.jspecify.annotations.Nullable;

import dev.sharding.cache.VersionMatch;
import dev.sharding.internal.core.read.ListPlan;

/**
 * What a list says about versions and pages, in the words of the API server.
 *
 * @param resourceVersion the version, "0" for any, or {@code null}
 * @param match how the list stands to it, or {@code null}
 * @param limit how many objects at most, or {@code null} for all
 * @param continueToken where the page begins, as the page before told it, or {@code null}
 */
public record VersionQuery(@Nullable String resourceVersion, @Nullable VersionMatch match, @Nullable Integer limit,
		@Nullable String continueToken) {

	/** Says nothing. */
	public static final VersionQuery NONE = new VersionQuery(null, null, null, null);

	public VersionQuery {
		if (limit != null && limit < 1) {
			throw new IllegalArgumentException("'limit' must be positive (is %d)".formatted(limit));
		}
	}

	ListPlan plan() {
		return ListPlan.of(this.resourceVersion, this.match, this.continueToken, this.limit);
	}

}
