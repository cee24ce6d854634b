package dev.sharding.demo;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

/**
 * A bare client that computes for 10 ms and writes, 100 ms after its watch has shown its
 * last write: by how much its timer is late, and how long the rest takes, tell how slow
 * the machine and the API server are just now. Without the computing it would be a
 * process that sleeps, which a busy machine serves first. It writes both for the last
 * one, so that the judge finds them in the audit log.
 */
public final class Probe implements AutoCloseable {

	private static final String NAME = "judge-probe";

	private static final long EVERY_MILLIS = 100;

	private static final long SEEN_WITHIN_SECONDS = 5;

	private static final long COMPUTED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

	private final KubernetesClient client;

	private final SharedIndexInformer<ConfigMap> watch;

	private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();

	private final AtomicReference<Expected> expected = new AtomicReference<>(new Expected(0));

	private volatile boolean paused;

	private long number;

	private volatile long due;

	private long lateMillis;

	private long millis;

	/** Begins to write. */
	public Probe(KubernetesClient client) {
		this.client = HttpWatches.of(client);
		this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withName(NAME)
				.withNamespace(Names.SYSTEM_NAMESPACE)
				.endMetadata()
				.build())
			.create();
		this.watch = this.client.configMaps().inNamespace(Names.SYSTEM_NAMESPACE).withName(NAME).inform(new Seen());
		this.due = due();
		this.pace.scheduleWithFixedDelay(this::probe, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** From now on the API server is disturbed on purpose: that is not its speed. */
	public void pause() {
		this.paused = true;
	}

	/** It is undisturbed again. */
	public void resume() {
		this.paused = false;
	}

	private void probe() {
		long late = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.due);
		try {
			if (!this.paused) {
				write(late);
			}
		}
		finally {
			this.due = due();
		}
	}

	private static long due() {
		return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(EVERY_MILLIS);
	}

	private void write(long late) {
		Expected write = new Expected(++this.number);
		this.expected.set(write);
		long start = System.nanoTime();
		compute();
		try {
			MergePatch.send(this.client, "/api/v1/namespaces/" + Names.SYSTEM_NAMESPACE + "/configmaps/" + NAME,
					"{\"data\":{\"number\":\"%d\",\"late\":\"%d\",\"millis\":\"%d\"}}".formatted(this.number,
							this.lateMillis, this.millis));
			boolean unused = write.seen().await(SEEN_WITHIN_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			// The API server is away: the next one will tell.
			return;
		}
		this.lateMillis = this.paused ? 0 : late;
		this.millis = this.paused ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
	}

	/** What other processes take from it meanwhile is not counted, but takes its time. */
	private void compute() {
		long end = this.threads.getCurrentThreadCpuTime() + COMPUTED_NANOS;
		while (this.threads.getCurrentThreadCpuTime() < end) {
			Thread.onSpinWait();
		}
	}

	@Override
	public void close() {
		this.pace.shutdownNow();
		this.watch.stop();
		this.client.close();
	}

	/** Counts down what the watch shows. */
	private final class Seen implements ResourceEventHandler<ConfigMap> {

		@Override
		public void onAdd(ConfigMap found) {
			seen(found);
		}

		@Override
		public void onUpdate(ConfigMap before, ConfigMap after) {
			seen(after);
		}

		@Override
		public void onDelete(ConfigMap found, boolean unknown) {
			// It stays.
		}

		private void seen(ConfigMap found) {
			Expected write = Probe.this.expected.get();
			if (found.getData() != null && String.valueOf(write.number()).equals(found.getData().get("number"))) {
				write.seen().countDown();
			}
		}

	}

	private record Expected(long number, CountDownLatch seen) {

		Expected(long number) {
			this(number, new CountDownLatch(1));
		}

	}

}
