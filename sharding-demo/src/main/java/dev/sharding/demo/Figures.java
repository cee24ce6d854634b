package dev.sharding.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of a run. */
final class Figures {

	private static final int SHARDS = 4;

	private final int objects;

	private final Times times;

	private long rebalanceMillis;

	private long failoverMillis;

	Figures(int objects, Times times) {
		this.objects = objects;
		this.times = times;
	}

	/** From the moment at which the new shard held its Lease to the last move. */
	void rebalance(long millis) {
		this.rebalanceMillis = millis;
	}

	/** From the kill to the last object owned. */
	void failover(long millis) {
		this.failoverMillis = millis;
	}

	long drainMillisP99() {
		return Times.percentile(this.times.drainMillis(), 0.99);
	}

	/**
	 * All as one JSON object.
	 * @param verdict what the judge printed, a JSON object
	 */
	String json(String verdict) {
		List<Long> assign = this.times.assignMillis();
		Map<String, Long> values = new LinkedHashMap<>();
		values.put("objects", (long) this.objects);
		values.put("shards", (long) SHARDS);
		values.put("assignMillisP50", Times.percentile(assign, 0.5));
		values.put("assignMillisP99", Times.percentile(assign, 0.99));
		values.put("rebalanceMillis", this.rebalanceMillis);
		values.put("drainMillisP99", drainMillisP99());
		values.put("failoverMillis", this.failoverMillis);
		return values.entrySet()
			.stream()
			.map((entry) -> "\"" + entry.getKey() + "\":" + entry.getValue())
			.collect(Collectors.joining(",", "{", "," + verdict.substring(1)));
	}

}
