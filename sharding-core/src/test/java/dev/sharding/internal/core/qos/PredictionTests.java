package dev.sharding.internal.core.qos;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.MatchingTests;
import dev.sharding.qos.spi.Measures;
import dev.sharding.qos.spi.Operation;
import dev.sharding.qos.spi.RequestTarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class PredictionTests {

	private static final long START = 1_000;

	private static final ActualCost LARGE = new ActualCost(10_000, 1_000_000, 500, false);

	private static final ActualCost SMALL = new ActualCost(10, 1_000, 5, false);

	@Test
	void firstCostIsThePrediction() {
		Prediction prediction = Prediction.first(LARGE, START);
		assertThat(prediction.items()).isEqualTo(10_000);
		assertThat(prediction.responseBytes()).isEqualTo(1_000_000);
		assertThat(prediction.latencyMillis()).isEqualTo(500);
		assertThat(prediction.failures()).isZero();
	}

	@Test
	void healsWhenTheDataShrinks() {
		Prediction prediction = Prediction.first(LARGE, START);
		for (int i = 0; i < 30; i++) {
			prediction = prediction.learn(SMALL, START);
		}
		assertThat(prediction.items()).isCloseTo(10, within(1.0));
	}

	@Test
	void fadesWhileNothingIsSeen() {
		Prediction later = Prediction.first(LARGE, START).at(START + Duration.ofMinutes(40).toNanos());
		assertThat(later.items()).isCloseTo(625, within(0.01));
	}

	@Test
	void failureSaysNothingAboutTheAnswer() {
		Prediction prediction = Prediction.first(LARGE, START).learn(new ActualCost(Double.NaN, 20, 1, true), START);
		assertThat(prediction.items()).isEqualTo(10_000);
		assertThat(prediction.latencyMillis()).isEqualTo(500);
		assertThat(prediction.failures()).isCloseTo(0.3, within(1e-9));
	}

	@Test
	void firstRequestThatFailsSaysNothingAboutTheAnswer() {
		Prediction refused = Prediction.first(new ActualCost(0, 200, 1, true), START);
		assertThat(refused.items()).isNaN();
		assertThat(refused.responseBytes()).isNaN();
		assertThat(refused.latencyMillis()).isEqualTo(1);
		assertThat(refused.failures()).isEqualTo(1);
		Prediction prediction = refused.learn(new ActualCost(2_500, 250_000, 100, false), START);
		assertThat(prediction.items()).isEqualTo(2_500);
		assertThat(prediction.responseBytes()).isEqualTo(250_000);
		assertThat(prediction.failures()).isCloseTo(0.7, within(1e-9));
	}

	@Test
	void uncountedItemsStayUnknown() {
		ActualCost uncounted = new ActualCost(Double.NaN, 10, 1, false);
		Prediction prediction = Prediction.first(uncounted, START).learn(uncounted, START);
		assertThat(prediction.items()).isNaN();
		assertThat(prediction.learn(SMALL, START).items()).isEqualTo(10);
	}

	@Test
	void shapeIgnoresNamesAndTheOrderOfTerms() {
		RequestTarget first = MatchingTests.target("/api/v1/namespaces/a/pods/p");
		RequestTarget second = MatchingTests.target("/api/v1/namespaces/a/pods/q");
		assertThat(RequestShape.of(Operation.GET, first, Map.of()))
			.isEqualTo(RequestShape.of(Operation.GET, second, Map.of()));
		assertThat(RequestShape.of(Operation.LIST, first, Map.of("labelSelector", "a in (x,y), b=c")))
			.isEqualTo(RequestShape.of(Operation.LIST, first, Map.of("labelSelector", "b=c,a in (x,y)")));
		assertThat(RequestShape.of(Operation.LIST, first, Map.of("limit", "500")))
			.isNotEqualTo(RequestShape.of(Operation.LIST, first, Map.of()));
		assertThat(RequestShape.of(Operation.LIST, first, Map.of("resourceVersion", "7")))
			.isEqualTo(RequestShape.of(Operation.LIST, first, Map.of("resourceVersion", "9")))
			.isNotEqualTo(RequestShape.of(Operation.LIST, first, Map.of("resourceVersion", "0")));
	}

	@Test
	void costsFollowTheMeasures() {
		Measures measures = (measure) -> switch (measure) {
			case REQUEST_SIZE -> 100;
			case TOTAL_TRAFFIC -> 1_100;
			case PREDICTED_ITEMS -> 12;
			case LATENCY -> 7;
			case FAILED_REQUESTS -> 0.6;
			default -> Double.NaN;
		};
		assertThat(Cost.REQUESTS.of(measures)).isEqualTo(1);
		assertThat(Cost.FAILED_REQUESTS.of(measures)).isEqualTo(1);
		assertThat(Cost.REQUEST_BYTES.of(measures)).isEqualTo(100);
		assertThat(Cost.TRAFFIC_BYTES.of(measures)).isEqualTo(1_100);
		assertThat(Cost.ITEMS.of(measures)).isEqualTo(12);
		assertThat(Cost.WALL_TIME.of(measures)).isEqualTo(7);
		assertThat(Cost.ITEMS.of((measure) -> Double.NaN)).isEqualTo(1);
		assertThat(Cost.FAILED_REQUESTS.of((measure) -> Double.NaN)).isZero();
	}

}
