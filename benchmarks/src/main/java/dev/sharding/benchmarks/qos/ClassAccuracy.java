package dev.sharding.benchmarks.qos;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.benchmarks.qos.Observed.Change;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Cost;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * How exact each class is while there is more demand than it lets through: the client's
 * own requests to an API server, as they go out.
 */
final class ClassAccuracy implements AutoCloseable {

	private static final ApiRequest LIST = ApiRequest.of("GET", "/api/v1/namespaces/default/configmaps")
		.timeout(Duration.ofMinutes(10));

	/* The API server waits three seconds for this version, which takes nobody's time. */
	private static final ApiRequest SLOW = LIST.query("resourceVersion", "9000000000000")
		.query("resourceVersionMatch", "NotOlderThan");

	private static final int[] PAGES = { 2, 3, 7 };

	private final String name;

	private final QosClass limit;

	private final boolean items;

	/* What it lets through: units a second, or requests at a time. */
	private final double target;

	private final Observed observed;

	private final KubernetesClient client;

	private final ApiRequests requests;

	private final AtomicInteger count = new AtomicInteger();

	private volatile boolean running = true;

	private ClassAccuracy(ControlPlane controlPlane, String name, QosClass limit, Cost cost, double target) {
		this.name = name;
		this.limit = limit;
		this.items = cost == Cost.ITEMS;
		this.target = target;
		this.observed = new Observed(BenchRules.qos(BenchRules.lists(limit, cost)));
		this.client = ThrottledClient.of(controlPlane.admin().client(), this.observed);
		this.requests = new ApiRequests(this.client);
	}

	/**
	 * How one class was kept.
	 *
	 * @param name of the class and what counts
	 * @param target what it lets through: units a second, or requests at a time
	 * @param mean what it let through
	 * @param deviation the standard deviation over windows of a second, or of the class
	 */
	record Result(String name, double target, double mean, double deviation) {

		double errorPercent() {
			return Math.abs(this.mean - this.target) / this.target * 100;
		}

		String json() {
			return String.format(Locale.ROOT,
					"\"%1$sMean\":%2$.3f,\"%1$sDeviation\":%3$.3f,\"%1$sErrorPercent\":%4$.3f", this.name, this.mean,
					this.deviation, errorPercent());
		}

	}

	/**
	 * Prepares the classes, each with a client of its own.
	 */
	static List<ClassAccuracy> all(ControlPlane controlPlane) {
		Duration second = Duration.ofSeconds(1);
		return List.of(
				new ClassAccuracy(controlPlane, "tokenBucket", new QosClass.TokenBucket(50, 10), Cost.REQUESTS, 50),
				new ClassAccuracy(controlPlane, "tokenBucketItems", new QosClass.TokenBucket(300, 40), Cost.ITEMS, 300),
				new ClassAccuracy(controlPlane, "leakyBucket", new QosClass.LeakyBucket(50, 1_000), Cost.REQUESTS, 50),
				new ClassAccuracy(controlPlane, "runningWindow", new QosClass.RunningWindow(60, second), Cost.REQUESTS,
						60),
				new ClassAccuracy(controlPlane, "runningWindowItems",
						new QosClass.RunningWindow(600, second.multipliedBy(2)), Cost.ITEMS, 300),
				new ClassAccuracy(controlPlane, "maxInFlight", new QosClass.MaxInFlight(4), Cost.REQUESTS, 4));
	}

	/** Asks for more than the class lets through, from now on. */
	void start() {
		int demand = isFlights() ? 40 : 300;
		for (int i = 0; i < demand; i++) {
			ask();
		}
	}

	private void ask() {
		int index = this.count.getAndIncrement();
		ApiRequest request = isFlights() ? SLOW
				: LIST.query("limit", Integer.toString(this.items ? PAGES[index % PAGES.length] : 1));
		this.requests.send(request).whenComplete((answer, failure) -> {
			if (this.running) {
				ask();
			}
		});
	}

	private boolean isFlights() {
		return this.limit instanceof QosClass.MaxInFlight;
	}

	/**
	 * Returns how the class was kept.
	 * @param begin what came before is warm-up
	 */
	Result result(long begin) {
		this.running = false;
		long end = System.nanoTime();
		List<Change> changes = this.observed.changes();
		double[] windows = isFlights() ? flights(changes, begin, end) : units(changes, begin, end);
		double middle = Arrays.stream(windows).average().orElse(0);
		double variance = Arrays.stream(windows)
			.map((value) -> (value - middle) * (value - middle))
			.average()
			.orElse(0);
		double mean = (isFlights() || this.limit instanceof QosClass.RunningWindow) ? middle
				: rate(changes, begin, end);
		Result result = new Result(this.name, this.target, mean, Math.sqrt(variance));
		System.err.printf(Locale.ROOT,
				"| %s | target %.0f | mean %.3f | standard deviation %.3f | variance %.3f | error %.3f %% | %d windows%n",
				this.name, this.target, mean, result.deviation(), variance, result.errorPercent(), windows.length);
		return result;
	}

	/* Units a second from the first request to the last. */
	private double rate(List<Change> changes, long begin, long end) {
		List<Change> gone = changes.stream()
			.filter((change) -> change.flights() > 0 && change.time() - begin >= 0 && change.time() - end < 0)
			.toList();
		Change first = gone.get(0);
		Change last = gone.get(gone.size() - 1);
		double units = gone.stream().mapToDouble(this::units).sum();
		return (units - units(first)) * 1e9 / (last.time() - first.time());
	}

	private double units(Change change) {
		return this.items ? change.objects() : 1;
	}

	/*
	 * Units a second, window by window. The units of a window go together: they are cut
	 * half-way between.
	 */
	private double[] units(List<Change> changes, long begin, long end) {
		long first = changes.stream().mapToLong(Change::time).filter((time) -> time - begin >= 0).min().orElse(begin);
		boolean running = this.limit instanceof QosClass.RunningWindow;
		long length = (this.limit instanceof QosClass.RunningWindow window) ? window.window().toNanos() : 1_000_000_000;
		long start = running ? first + length / 2 : first;
		double[] units = new double[(int) ((end - start) / length)];
		for (Change change : changes) {
			long window = Math.floorDiv(change.time() - start, length);
			if (change.flights() > 0 && window >= 0 && window < units.length) {
				units[(int) window] += units(change) * 1e9 / length;
			}
		}
		return units;
	}

	/* How many were in flight in the mean of each second. */
	private static double[] flights(List<Change> changes, long begin, long end) {
		double[] means = new double[(int) ((end - begin) / 1_000_000_000L)];
		for (int window = 0; window < means.length; window++) {
			long from = begin + window * 1_000_000_000L;
			double sum = 0;
			for (Change change : changes) {
				// It counts from then to the end of the window.
				long left = from + 1_000_000_000L - Math.max(from, change.time());
				sum += (left > 0) ? (double) change.flights() * left : 0;
			}
			means[window] = sum / 1e9;
		}
		return means;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
