package dev.sharding.demo;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimesTests {

	@Test
	void takesPercentilesFromTheValuesThatThereAre() {
		List<Long> hundred = LongStream.rangeClosed(1, 100).boxed().toList();
		assertThat(Times.percentile(hundred, 0.5)).isEqualTo(50);
		assertThat(Times.percentile(hundred, 0.99)).isEqualTo(99);
		assertThat(Times.percentile(List.of(7L), 0.99)).isEqualTo(7);
		assertThat(Times.percentile(List.of(), 0.99)).isZero();
	}

	@Test
	void writesTheFiguresBeforeTheVerdict() {
		Figures figures = new Figures(10, new Times());
		figures.rebalance(5);
		figures.failover(6);
		assertThat(figures.json("{\"wrongOwner\":0}"))
			.isEqualTo("{\"objects\":10,\"shards\":4,\"assignMillisP50\":0,\"assignMillisP99\":0,"
					+ "\"rebalanceMillis\":5,\"drainMillisP99\":0,\"failoverMillis\":6,\"wrongOwner\":0}");
	}

}
