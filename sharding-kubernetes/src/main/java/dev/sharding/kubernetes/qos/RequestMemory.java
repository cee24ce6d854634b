package dev.sharding.kubernetes.qos;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.core.qos.ActualCost;
import dev.sharding.core.qos.Prediction;
import dev.sharding.core.qos.RequestShape;
import org.jspecify.annotations.Nullable;

/**
 * What the shapes of requests cost lately. Holds a fixed number of them: the one that was
 * not seen for longest goes first.
 */
final class RequestMemory {

	private final Map<RequestShape, Prediction> predictions;

	RequestMemory(int size) {
		this.predictions = new LinkedHashMap<>(16, 0.75f, true) {

			private static final long serialVersionUID = 1L;

			@Override
			protected boolean removeEldestEntry(Map.Entry<RequestShape, Prediction> eldest) {
				return size() > size;
			}

		};
	}

	synchronized @Nullable Prediction recall(RequestShape shape, long now) {
		Prediction prediction = this.predictions.get(shape);
		return (prediction != null) ? prediction.at(now) : null;
	}

	synchronized void learn(RequestShape shape, ActualCost cost, long now) {
		this.predictions.compute(shape,
				(same, before) -> (before != null) ? before.learn(cost, now) : Prediction.first(cost, now));
	}

	synchronized int size() {
		return this.predictions.size();
	}

}
