package dev.sharding.benchmarks.rollout;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.client.KubernetesClient;

/** Creates Secrets and changes them. */
final class Load implements AutoCloseable {

	private static final String SECRETS = "/api/v1/namespaces/" + RolloutShard.NAMESPACE + "/secrets";

	private static final int SENDERS = 16;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final ApiRequests requests;

	private final int objects;

	private final AtomicInteger value = new AtomicInteger();

	private final ExecutorService senders = Executors.newFixedThreadPool(SENDERS);

	private final ConcurrentLinkedQueue<Future<?>> sent = new ConcurrentLinkedQueue<>();

	private volatile boolean going;

	Load(KubernetesClient client, int objects) {
		this.requests = new ApiRequests(client);
		this.objects = objects;
	}

	static String name(int number) {
		return "object-" + number;
	}

	void create() throws Exception {
		for (int i = 0; i < this.objects; i++) {
			String name = name(i);
			send("POST", SECRETS, MediaTypes.JSON, """
					{"apiVersion":"v1","kind":"Secret","metadata":{"name":"%s"},"data":{"value":"%s"}}""", name);
		}
		awaitAnswers();
	}

	/** Changes each of these objects once, as fast as it can. */
	void change(Collection<String> names) throws Exception {
		for (String name : names) {
			patch(name);
		}
		awaitAnswers();
	}

	/**
	 * Writes to each of these objects, so often, and to nothing else. There is a value
	 * for each, so that nothing has to be made of it.
	 * @return how long that took
	 */
	Duration writeOnly(Collection<String> names, int times) throws Exception {
		long begin = System.nanoTime();
		for (int i = 0; i < times; i++) {
			String body = "{\"metadata\":{\"annotations\":{\"bench\":\"" + i + "\"}}}";
			for (String name : names) {
				this.sent.add(this.senders.submit(() -> this.requests.call(
						ApiRequest.of("PATCH", SECRETS + "/" + name, MediaTypes.MERGE_PATCH, body).timeout(PATIENCE))));
			}
		}
		awaitAnswers();
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	/** Changes one object after the other, so many a second, until {@link #stop}. */
	void start(int perSecond) {
		this.going = true;
		Thread pace = new Thread(() -> {
			long begin = System.nanoTime();
			for (int i = 0; this.going; i++) {
				LockSupport.parkNanos(begin + i * 1_000_000_000L / perSecond - System.nanoTime());
				patch(name((int) (i * 7919L % this.objects)));
			}
		}, "load");
		pace.setDaemon(true);
		pace.start();
	}

	/** Returns when all that was sent is answered. */
	void stop() throws Exception {
		this.going = false;
		awaitAnswers();
	}

	private void patch(String name) {
		send("PATCH", SECRETS + "/" + name, MediaTypes.MERGE_PATCH, "{\"data\":{\"value\":\"%2$s\"}}", name);
	}

	/* What an object gets is larger than what it had, also where two are under way. */
	private void send(String verb, String path, String type, String body, String name) {
		this.sent.add(this.senders.submit(() -> {
			String data = Base64.getEncoder()
				.encodeToString(String.valueOf(this.value.incrementAndGet()).getBytes(StandardCharsets.US_ASCII));
			this.requests.call(ApiRequest.of(verb, path, type, body.formatted(name, data)).timeout(PATIENCE));
		}));
	}

	private void awaitAnswers() throws Exception {
		for (Future<?> next = this.sent.poll(); next != null; next = this.sent.poll()) {
			next.get();
		}
	}

	/** All objects. */
	List<String> names() {
		return IntStream.range(0, this.objects).mapToObj(Load::name).toList();
	}

	@Override
	public void close() {
		this.going = false;
		this.senders.shutdownNow();
	}

}
