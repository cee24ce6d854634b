package dev.sharding.internal.core.read;

import java.util.stream.Stream;

import dev.sharding.cache.VersionMatch;
import dev.sharding.internal.core.read.ListPlan.ByFreshness;
import dev.sharding.internal.core.read.ListPlan.Cached;
import dev.sharding.internal.core.read.ListPlan.Exact;
import dev.sharding.internal.core.read.ListPlan.NextPage;
import dev.sharding.internal.core.read.ListPlan.NotOlderThan;
import dev.sharding.internal.core.read.ListPlan.Refused;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static dev.sharding.cache.VersionMatch.EXACT;
import static dev.sharding.cache.VersionMatch.NOT_OLDER_THAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The list table of the API server, row by row. */
class ListPlanTests {

	@ParameterizedTest
	@MethodSource("answered")
	void plans(@Nullable String version, @Nullable VersionMatch match, @Nullable String token, @Nullable Integer limit,
			ListPlan expected) {
		assertThat(ListPlan.of(version, match, token, limit)).isEqualTo(expected);
	}

	static Stream<Arguments> answered() {
		return Stream.of(arguments(null, null, null, null, new ByFreshness()),
				arguments(null, null, null, 5, new ByFreshness()),
				arguments(null, null, "t", null, new NextPage("t", null)),
				arguments(null, null, "t", 5, new NextPage("t", 5)), arguments("0", null, null, null, new Cached()),
				arguments("0", null, null, 5, new Cached()), arguments("0", null, "t", 5, new NextPage("t", 5)),
				arguments("0", NOT_OLDER_THAN, null, 5, new Cached()),
				arguments("7", null, null, null, new NotOlderThan("7")),
				arguments("7", null, null, 5, new Exact("7", 5)),
				arguments("7", EXACT, null, null, new Exact("7", null)),
				arguments("7", EXACT, null, 5, new Exact("7", 5)),
				arguments("x7", EXACT, null, null, new Exact("x7", null)),
				arguments("7", NOT_OLDER_THAN, null, null, new NotOlderThan("7")),
				arguments("7", NOT_OLDER_THAN, null, 5, new NotOlderThan("7")));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void refuses(@Nullable String version, @Nullable VersionMatch match, @Nullable String token, String reason) {
		assertThat(ListPlan.of(version, match, token, null)).isInstanceOfSatisfying(Refused.class,
				(plan) -> assertThat(plan.reason()).contains(reason));
	}

	static Stream<Arguments> refused() {
		return Stream.of(arguments(null, EXACT, null, "needs a 'resourceVersion'"),
				arguments(null, EXACT, "t", "'resourceVersionMatch' cannot be combined"),
				arguments(null, NOT_OLDER_THAN, null, "needs a 'resourceVersion'"),
				arguments(null, NOT_OLDER_THAN, "t", "'resourceVersionMatch' cannot be combined"),
				arguments("0", EXACT, null, "other than \"0\""),
				arguments("0", EXACT, "t", "'resourceVersionMatch' cannot be combined"),
				arguments("0", NOT_OLDER_THAN, "t", "'resourceVersionMatch' cannot be combined"),
				arguments("7", null, "t", "'resourceVersion' cannot be combined"),
				arguments("7", EXACT, "t", "'resourceVersionMatch' cannot be combined"),
				arguments("7", NOT_OLDER_THAN, "t", "'resourceVersionMatch' cannot be combined"));
	}

	@Test
	void refusesToCompareWhatHasNoOrder() {
		assertThat(ListPlan.of("x7", null, null, null)).isInstanceOf(Refused.class);
	}

}
