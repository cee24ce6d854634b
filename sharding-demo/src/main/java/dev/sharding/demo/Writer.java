package dev.sharding.demo;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * Stands for the users: creates the Secrets, then changes random ones, and deletes some
 * that it creates again when nothing has been left of them for two seconds. No two
 * versions of a Secret have the same data. As no garbage collector runs here, it deletes
 * what a Secret controls as well, unless the shards do.
 */
public final class Writer implements AutoCloseable {

	private static final int CREATORS = 4;

	private static final int UPDATES_A_SECOND = 20;

	private static final long DELETES_EVERY_MILLIS = 3000;

	private static final long GONE_FOR_MILLIS = 2000;

	private static final Duration BACK_WITHIN = Duration.ofSeconds(60);

	private final KubernetesClient client;

	private final Times times;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	/** What is deleted and will be there again. */
	private final Set<String> gone = ConcurrentHashMap.newKeySet();

	private final int objects;

	private final AtomicLong version = new AtomicLong();

	private final AtomicInteger updates = new AtomicInteger();

	private final AtomicInteger failures = new AtomicInteger();

	private final Random random = new Random();

	private @Nullable ScheduledFuture<?> updating;

	private @Nullable ScheduledFuture<?> deleting;

	private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();

	/** Of each ten changes, how many are of labels. */
	private final int relabelled;

	private final UnaryOperator<String> namespaces;

	/** Whether the shards delete what a Secret controls before they let it go. */
	private final boolean cleaned;

	/**
	 * @param objects how many Secrets there will be
	 */
	Writer(KubernetesClient client, Times times, int objects) {
		this(client, times, objects, 0, (name) -> Names.NAMESPACE, false);
	}

	/**
	 * Changes labels as well, and writes into several namespaces.
	 * @param namespaces which namespace a Secret is in, by its name
	 * @param cleaned whether the shards delete what a Secret controls before they let it
	 * go
	 */
	public Writer(KubernetesClient client, int objects, UnaryOperator<String> namespaces, boolean cleaned) {
		this(client, new Times(), objects, 2, namespaces, cleaned);
	}

	private Writer(KubernetesClient client, Times times, int objects, int relabelled, UnaryOperator<String> namespaces,
			boolean cleaned) {
		this.cleaned = cleaned;
		this.relabelled = relabelled;
		this.namespaces = namespaces;
		this.objects = objects;
		this.client = client;
		this.times = times;
	}

	/** Creates the Secrets and returns when the API server has taken them all. */
	public void create() throws Exception {
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
			.withNamespace(this.namespaces.apply(name))
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

	/** Starts to change random Secrets, and to delete some. */
	public void startUpdates() {
		long period = TimeUnit.SECONDS.toNanos(1) / UPDATES_A_SECOND;
		this.deleting = this.pace.scheduleAtFixedRate(this::delete, DELETES_EVERY_MILLIS, DELETES_EVERY_MILLIS,
				TimeUnit.MILLISECONDS);
		this.updating = this.pace.scheduleAtFixedRate(this::update, period, period, TimeUnit.NANOSECONDS);
	}

	/** Stops that until it is started again; returns when all Secrets are there. */
	public void stopUpdates() throws Exception {
		pauseUpdates();
		Waiting.until("the Secrets " + this.gone + " to be there again", BACK_WITHIN, this.gone::isEmpty);
	}

	/** Stops that until it is started again, and waits for nothing. */
	public void pauseUpdates() throws Exception {
		if (this.updating != null && this.deleting != null) {
			this.updating.cancel(false);
			this.deleting.cancel(false);
		}
		this.pace.submit(() -> {
		}).get();
	}

	/** The Secrets that are deleted and are to be there again. */
	public Set<String> gone() {
		return Set.copyOf(this.gone);
	}

	private void delete() {
		List<String> there = this.names.stream().filter(Names::comesAndGoes).toList();
		if (!there.isEmpty()) {
			String name = there.get(this.random.nextInt(there.size()));
			this.names.remove(name);
			this.gone.add(name);
			renew(name);
		}
	}

	/** Creates it again when nothing has been left of it for a while. */
	private void renew(String name) {
		boolean back = false;
		try {
			if (!deleted(name)) {
				create(name);
				back = true;
			}
		}
		catch (RuntimeException ex) {
			this.failures.incrementAndGet();
		}
		if (back) {
			this.gone.remove(name);
		}
		else {
			Future<?> unused = this.pace.schedule(() -> renew(name), GONE_FOR_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	/** Whether there was something of it to be deleted, or still is. */
	private boolean deleted(String name) {
		boolean deleted = !this.client.secrets()
			.inNamespace(this.namespaces.apply(name))
			.withName(name)
			.delete()
			.isEmpty();
		for (ConfigMap child : this.client.configMaps()
			.inNamespace(this.namespaces.apply(name))
			.withLabel("secret", name)
			.list()
			.getItems()) {
			deleted |= this.cleaned || !this.client.configMaps()
				.inNamespace(this.namespaces.apply(name))
				.withName(child.getMetadata().getName())
				.delete()
				.isEmpty();
		}
		return deleted;
	}

	private void update() {
		// Any of those that are to be, so that the first few are not changed all the
		// time.
		String name = Names.secret(this.random.nextInt(this.objects));
		if (!this.names.contains(name)) {
			return;
		}
		try {
			if (this.random.nextInt(10) < this.relabelled) {
				send(name, "{\"metadata\":{\"labels\":{\"team\":\"team-" + this.random.nextInt(100) + "\"}}}");
			}
			else {
				change(name);
			}
		}
		catch (RuntimeException ex) {
			this.failures.incrementAndGet();
		}
	}

	/** Changes one Secret now. */
	void change(String name) {
		send(name, "{\"data\":{\"value\":\"" + data(name).get("value") + "\"}}");
	}

	private void send(String name, String patch) {
		MergePatch.send(this.client, "/api/v1/namespaces/" + this.namespaces.apply(name) + "/secrets/" + name, patch);
		this.updates.incrementAndGet();
	}

	/** How many Secrets there are. */
	public int created() {
		return this.names.size();
	}

	/** How many changes were accepted. */
	public int updates() {
		return this.updates.get();
	}

	int failures() {
		return this.failures.get();
	}

	/** Ends the updates and waits for the last one. */
	@Override
	public void close() throws Exception {
		if (!this.pace.isShutdown()) {
			pauseUpdates();
		}
		// What is still to come back does not.
		this.pace.shutdownNow();
		if (!this.pace.awaitTermination(30, TimeUnit.SECONDS)) {
			throw new IllegalStateException("Failed to stop the writer within 30 s");
		}
	}

}
