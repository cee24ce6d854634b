package dev.sharding.benchmarks.runtime;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/**
 * Creates the Secrets of one namespace, changes them at a steady rate, and deletes them.
 */
final class Load implements AutoCloseable {

	private static final int CLIENTS = 16;

	private static final int VALUE_LENGTH = 1024;

	private final KubernetesClient client;

	private final String namespace;

	private final int objects;

	private final Results results;

	private final ExecutorService workers = Executors.newFixedThreadPool(CLIENTS);

	Load(KubernetesClient client, String namespace, int objects, Results results) {
		this.client = client;
		this.namespace = namespace;
		this.objects = objects;
		this.results = results;
	}

	void create(Map<String, String> labels) throws Exception {
		List<Future<?>> created = new ArrayList<>();
		for (int i = 0; i < this.objects; i++) {
			String name = name(i);
			String value = value(name + " at first ");
			this.results.expect(name, value);
			Secret secret = new SecretBuilder().withNewMetadata()
				.withName(name)
				.withNamespace(this.namespace)
				.withLabels(labels)
				.endMetadata()
				.withData(Map.of("value", base64(value)))
				.build();
			created.add(this.workers.submit(() -> this.client.resource(secret).create()));
		}
		await(created);
	}

	/** Deletes the Secrets and what was made of them. */
	void delete() throws Exception {
		List<Future<?>> deleted = new ArrayList<>();
		for (int i = 0; i < this.objects; i++) {
			String name = name(i);
			deleted.add(this.workers
				.submit(() -> this.client.secrets().inNamespace(this.namespace).withName(name).delete()));
			deleted.add(this.workers.submit(
					() -> this.client.configMaps().inNamespace(this.namespace).withName("checksums-" + name).delete()));
		}
		await(deleted);
	}

	private static void await(List<Future<?>> requests) throws Exception {
		for (Future<?> request : requests) {
			request.get();
		}
	}

	/**
	 * Changes one Secret after the other.
	 * @return for each change the nanoseconds from its response until the result was
	 * right
	 */
	List<Long> change(int perSecond, Duration duration) throws Exception {
		int changes = (int) (perSecond * duration.toMillis() / 1000);
		Map<Integer, Long> responses = new ConcurrentHashMap<>();
		List<Future<?>> sent = new ArrayList<>();
		List<Long> latencies = new ArrayList<>();
		long start = System.nanoTime();
		for (int i = 0; i < changes; i++) {
			long due = start + TimeUnit.SECONDS.toNanos(i) / perSecond;
			while (System.nanoTime() < due) {
				LockSupport.parkNanos(due - System.nanoTime());
			}
			int change = i;
			if (i >= this.objects) {
				latencies.add(latency(i - this.objects, sent, responses));
			}
			sent.add(this.workers.submit(() -> responses.put(change, change(name(change % this.objects), change))));
		}
		for (int i = Math.max(0, changes - this.objects); i < changes; i++) {
			latencies.add(latency(i, sent, responses));
		}
		return latencies;
	}

	private long change(String name, int number) {
		String value = value(name + " change " + number + " at " + System.nanoTime() + " ");
		this.results.expect(name, value);
		this.client.secrets()
			.inNamespace(this.namespace)
			.withName(name)
			.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"value\":\"" + base64(value) + "\"}}");
		return System.nanoTime();
	}

	private long latency(int change, List<Future<?>> sent, Map<Integer, Long> responses) throws Exception {
		sent.get(change).get();
		String name = name(change % this.objects);
		long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
		Long right = this.results.rightSince(name);
		while (right == null) {
			if (System.nanoTime() > giveUp) {
				throw new IllegalStateException("The checksum of " + this.namespace + "/" + name + " is not right");
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
			right = this.results.rightSince(name);
		}
		return Math.max(0, right - responses.getOrDefault(change, right));
	}

	private static String name(int number) {
		return "secret-" + number;
	}

	/* 1 KiB that does not compress, as keys and certificates do not. */
	private static String value(String beginning) {
		byte[] random = new byte[VALUE_LENGTH];
		ThreadLocalRandom.current().nextBytes(random);
		return (beginning + Base64.getEncoder().encodeToString(random)).substring(0, VALUE_LENGTH);
	}

	private static String base64(String value) {
		return Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
	}

	@Override
	public void close() {
		this.workers.shutdownNow();
	}

}
