package dev.sharding.internal.core.qos;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.qos.spi.MatchingTests;
import dev.sharding.qos.spi.RequestTarget;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectCountTests {

	private static final Duration PERIOD = Duration.ofMinutes(1);

	private static final double COUNT = 150_000;

	private static final RequestTarget PODS = MatchingTests.target("/api/v1/namespaces/a/pods");

	@ParameterizedTest
	@CsvSource({ "'', '', '', '', 150000, 150000", "500, '', '', '', 500, 500", "0, '', '', '', 150000, 150000",
			"1000000, '', '', '', 150000, 150000", "nonsense, '', '', '', 150000, 150000",
			"500, 0, '', '', 150000, 150000", "500, 7, '', '', 500, 500", "'', '', a=b, '', 150000, 150000",
			"500, '', a=b, '', 150000, 500", "'', '', '', spec.nodeName=n, 150000, 150000",
			"'', '', '', metadata.name=n, 1, 1", "'', '', a=b, 'metadata.name=n', 1, 1" })
	void selectorsAndPageSizesDoNotMakeAListCheap(String limit, String version, String labels, String fields,
			double read, double returned) {
		ListSize size = ListSize.ofList(PODS,
				Map.of("limit", limit, "resourceVersion", version, "labelSelector", labels, "fieldSelector", fields));
		assertThat(size.read(COUNT)).isEqualTo(read);
		assertThat(size.returned(COUNT)).isEqualTo(returned);
	}

	@Test
	void aListReadsNoMoreThanThereIs() {
		assertThat(ListSize.ofList(PODS, Map.of("limit", "500")).read(3)).isEqualTo(3);
		assertThat(ListSize.ofList(PODS, Map.of("labelSelector", "a=b")).read(3)).isEqualTo(3);
		assertThat(ListSize.ofList(PODS, Map.of("fieldSelector", "metadata.name=a")).read(0)).isZero();
		assertThat(ListSize.ofList(PODS, Map.of()).read(Double.NaN)).isNaN();
	}

	@Test
	void aNameInAllNamespacesMakesTheServerReadAll() {
		RequestTarget everywhere = MatchingTests.target("/api/v1/pods");
		assertThat(ListSize.ofList(everywhere, Map.of("fieldSelector", "metadata.name=a")).read(COUNT))
			.isEqualTo(COUNT);
	}

	@Test
	void whileNobodyCountsOnlyAWholeListTellsHowManyThereAre() {
		assertThat(ListSize.ofList(PODS, Map.of()).uncounted(Double.NaN, 2_000)).isEqualTo(2_000);
		assertThat(ListSize.ofList(PODS, Map.of()).uncounted(7, 2_000)).isEqualTo(7);
		assertThat(ListSize.ofList(PODS, Map.of("labelSelector", "a=b")).uncounted(0, 2_000)).isEqualTo(2_000);
		assertThat(ListSize.ofList(PODS, Map.of("labelSelector", "a=b")).uncounted(5_000, 2_000)).isEqualTo(5_000);
		assertThat(ListSize.ofList(PODS, Map.of("limit", "9")).uncounted(9, 2_000)).isEqualTo(2_000);
	}

	@Test
	void aWatchWithInitialEventsIsAListThatNoPageSizeBounds() {
		assertThat(ListSize.hasInitialEvents(Map.of("sendInitialEvents", "true", "resourceVersion", "7"))).isTrue();
		assertThat(ListSize.hasInitialEvents(Map.of())).isTrue();
		assertThat(ListSize.hasInitialEvents(Map.of("resourceVersion", "0"))).isTrue();
		assertThat(ListSize.hasInitialEvents(Map.of("resourceVersion", "7"))).isFalse();
		assertThat(ListSize.hasInitialEvents(Map.of("sendInitialEvents", "false"))).isFalse();
		assertThat(ListSize.ofWatch(PODS, Map.of("limit", "1")).read(COUNT)).isEqualTo(COUNT);
		assertThat(ListSize.ofWatch(PODS, Map.of("fieldSelector", "metadata.name=a")).read(COUNT)).isEqualTo(1);
	}

	@Test
	void aCountIsGoodForTenPeriodsAndAskedForAgainAfterOne() {
		ObjectCount count = ObjectCount.of(12, 1_000);
		assertThat(count.isDue(PERIOD, 1_000 + PERIOD.toNanos() - 1)).isFalse();
		assertThat(count.isDue(PERIOD, 1_000 + PERIOD.toNanos())).isTrue();
		assertThat(count.at(PERIOD, 1_000 + 10 * PERIOD.toNanos() - 1)).isEqualTo(12);
		assertThat(count.at(PERIOD, 1_000 + 10 * PERIOD.toNanos())).isNaN();
		ObjectCount asked = count.asked(1_000 + PERIOD.toNanos());
		assertThat(asked.isDue(PERIOD, 1_000 + 2 * PERIOD.toNanos() - 1)).isFalse();
		assertThat(asked.at(PERIOD, 1_000 + 10 * PERIOD.toNanos() - 1)).isEqualTo(12);
		assertThat(asked.at(PERIOD, 1_000 + 10 * PERIOD.toNanos())).isNaN();
	}

	@Test
	void oneObjectAndWhatRemainsAreAll() {
		assertThat(ObjectCount.inAnswer(1, 149_999L, true)).isEqualTo(COUNT);
		assertThat(ObjectCount.inAnswer(0, null, false)).isZero();
		assertThat(ObjectCount.inAnswer(1, null, false)).isEqualTo(1);
		assertThat(ObjectCount.inAnswer(1, null, true)).isNaN();
		// A server that knows no pages returns all.
		assertThat(ObjectCount.inAnswer(40, null, false)).isEqualTo(40);
	}

}
