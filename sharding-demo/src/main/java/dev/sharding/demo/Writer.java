package dev.sharding.demo;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the users: creates the Secrets, then changes random ones. No two versions of
 * a Secret have the same data.
 */
final class Writer implements AutoCloseable {

	private static final int CREATORS = 4;

	private static final int UPDATES_A_SECOND = 20;

	private final KubernetesClient client;

	private final Times times;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final int objects;

	private final AtomicLong version = new AtomicLong();

	private final AtomicInteger updates = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final Random random = new Random(4);

	private @Nullable ScheduledFuture<?> updating;

	private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();

	/**
	 * @param objects how many Secrets there will be
	 */
	Writer(KubernetesClient client, Times times, int objects) {
		this.objects = objects;
		this.client = client;
		this.times = times;
	}

	/** Creates the Secrets and returns when the API server has taken them all. */
	void create() throws Exception {
		ExecutorService creators = Executors.newFixedThreadPool(CREATORS);
		try {
			List<Future<?>> created = new ArrayList<>();
			for (int i = 0; i < this.objects; i++) {
				String name = Names.secret(i);
				created.add(creators.submit(() -> create(name)));
			}
			for (Future<?> future : created) {
				future.get();
			}
		}
		finally {
			creators.shutdownNow();
		}
	}

	private void create(String name) {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withName(name)
			.withNamespace(Names.NAMESPACE)
			.endMetadata()
			.withData(data(name))
			.build();
		this.client.resource(secret).create();
		this.times.created(name, System.nanoTime());
		this.names.add(name);
	}

	private Map<String, String> data(String name) {
		String value = name + " version " + this.version.incrementAndGet();
		return Map.of("value", Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)));
	}

	/** Starts to change random Secrets. */
	void startUpdates() {
		long period = TimeUnit.SECONDS.toNanos(1) / UPDATES_A_SECOND;
		this.updating = this.pace.scheduleAtFixedRate(this::update, period, period, TimeUnit.NANOSECONDS);
	}

	/** Stops changing them until they are started again; returns after the last. */
	void stopUpdates() throws Exception {
		if (this.updating != null) {
			this.updating.cancel(false);
		}
		this.pace.submit(() -> {
		}).get();
	}

	private void update() {
		// Any of those that are to be, so that the first few are not changed all the
		// time.
		String name = Names.secret(this.random.nextInt(this.objects));
		if (!this.names.contains(name)) {
			return;
		}
		try {
			change(name);
		}
		catch (RuntimeException ex) {
			this.failures.incrementAndGet();
		}
	}

	/** Changes one Secret now. */
	void change(String name) {
		String patch = "{\"data\":{\"value\":\"" + data(name).get("value") + "\"}}";
		MergePatch.send(this.client, "/api/v1/namespaces/" + Names.NAMESPACE + "/secrets/" + name, patch);
		this.updates.incrementAndGet();
	}

	/** How many Secrets there are. */
	int created() {
		return this.names.size();
	}

	int updates() {
		return this.updates.get();
	}

	int failures() {
		return this.failures.get();
	}

	/** Ends the updates and waits for the last one. */
	@Override
	public void close() throws InterruptedException {
		this.pace.shutdown();
		if (!this.pace.awaitTermination(30, TimeUnit.SECONDS)) {
			throw new IllegalStateException("Failed to stop the writer within 30 s");
		}
	}

}
