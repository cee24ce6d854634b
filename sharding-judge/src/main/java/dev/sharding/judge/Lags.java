package dev.sharding.judge;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/** How long what users changed waited until what is made of it showed that. */
final class Lags {

	private final TreeMap<Instant, List<Duration>> lags = new TreeMap<>();

	Lags(RingUnderTest ring, History history, Derived derived) {
		for (ObjectRef object : history.objects()) {
			if (ring.isMain(object)) {
				add(new Serving(object, history, derived));
			}
		}
	}

	private void add(Serving serving) {
		Map<String, String> before = Map.of();
		for (int i = 0; i < serving.states().size(); i++) {
			Revision state = serving.states().get(i);
			Body body = state.body();
			Map<String, String> data = (body != null) ? body.data() : Map.of();
			Instant served = (serving.isDue(i) && !data.equals(before)) ? serving.at(i) : null;
			if (served != null) {
				Duration lag = Duration.between(state.completed(), served);
				this.lags.computeIfAbsent(state.completed(), (at) -> new ArrayList<>())
					.add(lag.isNegative() ? Duration.ZERO : lag);
			}
			before = data;
		}
	}

	/**
	 * What 99 of 100 changes of a time waited at most; null if nothing changed.
	 */
	@Nullable Duration p99(Instant from, Duration step) {
		List<Duration> waited = this.lags.subMap(from, from.plus(step))
			.values()
			.stream()
			.flatMap(List::stream)
			.sorted()
			.toList();
		return waited.isEmpty() ? null : waited.get((int) Math.ceil(waited.size() * 0.99) - 1);
	}

}
