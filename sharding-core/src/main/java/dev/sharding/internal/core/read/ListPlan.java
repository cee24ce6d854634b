package dev.sharding.internal.core.read;

import org.jspecify.annotations.Nullable;

import dev.sharding.cache.VersionMatch;

/**
 * Who answers a list that names a resource version, a limit or a page: the table of the
 * API server, for a client that has a cache of its own. Memory holds everything, so its
 * answer has no pages, as that of the API server's memory has none.
 */
public sealed interface ListPlan {

	/**
	 * Plans a list.
	 * @param version the resource version, "0" for any, or {@code null}
	 * @param match how to match it, or {@code null}
	 * @param token where a page begins, as an earlier page told it, or {@code null}
	 * @param limit how many objects at most, positive, or {@code null} for all
	 * @return the plan
	 */
	static ListPlan of(@Nullable String version, @Nullable VersionMatch match, @Nullable String token,
			@Nullable Integer limit) {
		if (token != null) {
			return next(version, match, token, limit);
		}
		if (version == null) {
			return (match == null) ? new ByFreshness()
					: new Refused("'resourceVersionMatch' needs a 'resourceVersion' to match");
		}
		if (version.equals("0")) {
			return (match != VersionMatch.EXACT) ? new Cached() : new Refused(
					"'resourceVersionMatch' Exact needs a version other than \"0\", which stands for any");
		}
		if (match == VersionMatch.EXACT || (match == null && limit != null)) {
			return new Exact(version, limit);
		}
		return ResourceVersions.isComparable(version) ? new NotOlderThan(version) : new Refused(
				"'resourceVersion' must be comparable to tell what is not older (is %s)".formatted(version));
	}

	private static ListPlan next(@Nullable String version, @Nullable VersionMatch match, String token,
			@Nullable Integer limit) {
		if (match != null) {
			return new Refused(
					"'resourceVersionMatch' cannot be combined with 'continue': the token names the version");
		}
		if (version != null && !version.equals("0")) {
			return new Refused("'resourceVersion' cannot be combined with 'continue': the token names the version");
		}
		return new NextPage(token, limit);
	}

	/** The freshness that the reader asks for decides; memory answers, whole. */
	record ByFreshness() implements ListPlan {
	}

	/** Memory answers as it is, whole. */
	record Cached() implements ListPlan {
	}

	/**
	 * Memory answers once it has got there, whole.
	 *
	 * @param version the version
	 */
	record NotOlderThan(String version) implements ListPlan {
	}

	/**
	 * The API server answers: memory does not know the past.
	 *
	 * @param version the version
	 * @param limit how many objects at most, or {@code null}
	 */
	record Exact(String version, @Nullable Integer limit) implements ListPlan {
	}

	/**
	 * The API server answers: it made the token.
	 *
	 * @param token where the page begins
	 * @param limit how many objects at most, or {@code null}
	 */
	record NextPage(String token, @Nullable Integer limit) implements ListPlan {
	}

	/**
	 * Nobody answers.
	 *
	 * @param reason what is wrong with the question
	 */
	record Refused(String reason) implements ListPlan {
	}

}
