package dev.sharding.benchmarks.qos;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.client.RequestThrottle.Passage;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.QosClass;

/**
 * How exact a rate is while there is more demand than it lets through. The transport does
 * nothing, so that only the limiter and its timers count.
 */
final class Accuracy {

	private static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/pods");

	private final Qos qos;

	private final double qps;

	private final long[] admitted;

	private final AtomicInteger count = new AtomicInteger();

	private volatile boolean running = true;

	private Accuracy(double qps, Duration longest) {
		this.qps = qps;
		this.qos = BenchRules.qos(BenchRules.lists(new QosClass.TokenBucket(qps, 1), Cost.REQUESTS));
		this.admitted = new long[(int) (qps * (longest.toSeconds() + 20) * 2) + 1_000];
	}

	/**
	 * How one rate was kept.
	 *
	 * @param qps the rate
	 * @param mean admitted per second
	 * @param deviation the standard deviation over windows of a second
	 */
	record Result(double qps, double mean, double deviation) {

		double errorPercent() {
			return Math.abs(this.mean - this.qps) / this.qps * 100;
		}

		String json() {
			return String.format(Locale.ROOT, "\"mean%1$.0f\":%2$.2f,\"deviation%1$.0f\":%3$.2f", this.qps, this.mean,
					this.deviation);
		}

	}

	/**
	 * Starts rates side by side.
	 * @param longest how long they go on, but for what a machine that stalls adds
	 */
	static List<Accuracy> start(double[] rates, Duration longest) {
		List<Accuracy> started = Arrays.stream(rates).mapToObj((qps) -> new Accuracy(qps, longest)).toList();
		started.forEach(Accuracy::start);
		return started;
	}

	/*
	 * There is always more demand than the rate lets through, also after a stall of the
	 * machine: as much waits as four seconds let through.
	 */
	private void start() {
		int demand = (int) Math.max(16, this.qps * 4);
		for (int i = 0; i < demand; i++) {
			ask();
		}
	}

	private void ask() {
		Passage passage = Objects.requireNonNull(this.qos.enter(LIST));
		passage.admitted().thenRun(() -> {
			int index = this.count.getAndIncrement();
			if (this.running && index < this.admitted.length) {
				this.admitted[index] = System.nanoTime();
				passage.ended(null);
				ask();
			}
		});
	}

	/**
	 * Returns how the rate was kept, and ends.
	 * @param begin what came before is warm-up
	 */
	Result result(long begin) {
		this.running = false;
		int total = Math.min(this.count.get(), this.admitted.length);
		long[] times = Arrays.stream(this.admitted, 0, total)
			.filter((time) -> time != 0 && time - begin >= 0)
			.sorted()
			.toArray();
		long first = times[0];
		long last = times[times.length - 1];
		double mean = (times.length - 1) * 1e9 / (last - first);
		int windows = (int) ((last - first) / 1_000_000_000L);
		double[] perWindow = new double[windows];
		for (long time : times) {
			int window = (int) ((time - first) / 1_000_000_000L);
			if (window < windows) {
				perWindow[window]++;
			}
		}
		double middle = Arrays.stream(perWindow).average().orElse(0);
		double deviation = Math
			.sqrt(Arrays.stream(perWindow).map((value) -> (value - middle) * (value - middle)).average().orElse(0));
		Result result = new Result(this.qps, mean, deviation);
		System.err.printf("%.0f qps: mean %.2f/s (error %.3f %%), standard deviation over %d windows of 1 s: %.2f/s%n",
				this.qps, mean, result.errorPercent(), windows, deviation);
		return result;
	}

}
