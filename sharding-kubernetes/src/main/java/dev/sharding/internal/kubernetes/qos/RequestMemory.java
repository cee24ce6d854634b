package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

import dev.sharding.internal.core.qos.ActualCost;
import dev.sharding.internal.core.qos.Prediction;
import dev.sharding.internal.core.qos.RequestShape;
import org.jspecify.annotations.Nullable;

/**
 * What the shapes of requests cost lately. Holds a fixed number of them, of which the one
 * that was learnt longest ago goes first, and none of which has faded to nothing. Only
 * shapes that a rule is about come in, so that cheap ones do not drive out dear ones.
 */
final class RequestMemory {

	/* After six half-lives of a prediction. */
	static final Duration LONGEST = Duration.ofHours(1);

	private final int size;

	/* In the order in which they were learnt. */
	private final Map<RequestShape, Prediction> predictions = new LinkedHashMap<>();

	RequestMemory(int size) {
		this.size = size;
	}

	synchronized @Nullable Prediction recall(RequestShape shape, long now) {
		Prediction prediction = this.predictions.get(shape);
		return (prediction != null && !isOld(prediction, now)) ? prediction.at(now) : null;
	}

	/**
	 * Learns what a request cost.
	 * @param meetsARule whether a rule is about what costs so much; asked for shapes that
	 * are not known
	 */
	void learn(RequestShape shape, ActualCost cost, long now, Predicate<Prediction> meetsARule) {
		Prediction first = Prediction.first(cost, now);
		if (isKnown(shape) || meetsARule.test(first)) {
			put(shape, cost, first, now);
		}
	}

	private synchronized boolean isKnown(RequestShape shape) {
		return this.predictions.containsKey(shape);
	}

	private synchronized void put(RequestShape shape, ActualCost cost, Prediction first, long now) {
		Prediction before = this.predictions.remove(shape);
		this.predictions.put(shape, (before != null && !isOld(before, now)) ? before.learn(cost, now) : first);
		Iterator<Prediction> eldest = this.predictions.values().iterator();
		while (eldest.hasNext() && (isOld(eldest.next(), now) || this.predictions.size() > this.size)) {
			eldest.remove();
		}
	}

	/** Returns what is remembered; what was learnt longest ago comes first. */
	synchronized Map<RequestShape, Prediction> snapshot() {
		return new LinkedHashMap<>(this.predictions);
	}

	/**
	 * Takes over what another process learnt, as far as there is room, and nothing that
	 * this one knows better.
	 */
	synchronized void restore(RequestShape shape, Prediction earlier, long now) {
		if (!isOld(earlier, now) && this.predictions.size() < this.size) {
			this.predictions.putIfAbsent(shape, earlier);
		}
	}

	private static boolean isOld(Prediction prediction, long now) {
		return now - prediction.seenAtNanos() > LONGEST.toNanos();
	}

	synchronized int size() {
		return this.predictions.size();
	}

}
