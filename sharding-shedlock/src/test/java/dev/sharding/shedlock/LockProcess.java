package dev.sharding.shedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;

/**
 * A process that does a job again and again, whenever it has the lock: it leaves a
 * ConfigMap for each write of it. Before each it asks whether it may, and before that it
 * can be held.
 */
final class LockProcess {

	private static final int WRITES = 5;

	private final String name;

	private final String namespace;

	private final Path folder;

	private final KubernetesClient client = Kubeconfig.newBuilder().build();

	/* One that gives up at once, so that nothing goes out late. */
	private final KubernetesClient writes = LeaseClients.create(this.client, RenewalTimings.DEFAULTS);

	private LockProcess(String name, String namespace, Path folder) {
		this.name = name;
		this.namespace = namespace;
		this.folder = folder;
	}

	/**
	 * Runs until it is killed. Arguments: its name, the namespace, a folder, by how many
	 * milliseconds its wall clock is off, and for how many seconds it locks.
	 */
	public static void main(String[] arguments) throws IOException {
		LockProcess process = new LockProcess(arguments[0], arguments[1], Path.of(arguments[2]));
		process.run(Duration.ofMillis(Long.parseLong(arguments[3])), Duration.ofSeconds(Long.parseLong(arguments[4])));
	}

	private void run(Duration off, Duration atMost) throws IOException {
		LeaseClock clock = new LeaseClock(() -> Instant.now().plus(off), System::nanoTime);
		try (LeaseLockProvider provider = new LeaseLockProvider(
				LeaseClients.create(this.client, RenewalTimings.DEFAULTS), this.namespace, "app", this.name, clock)) {
			for (int term = 1; true; term++) {
				Optional<SimpleLock> lock = lock(provider, clock, atMost);
				if (lock.isPresent()) {
					act(provider, this.name + "-" + term);
					unlock(lock.get());
				}
				pause();
			}
		}
	}

	private static Optional<SimpleLock> lock(LeaseLockProvider provider, LeaseClock clock, Duration atMost) {
		try {
			return provider.lock(new LockConfiguration(clock.wall().instant(), "job", atMost, Duration.ZERO));
		}
		catch (LockException ex) {
			return Optional.empty();
		}
	}

	private void act(LeaseLockProvider provider, String term) throws IOException {
		for (int i = 0; i < WRITES; i++) {
			awaitRelease();
			try {
				provider.requireHeld("job");
			}
			catch (LockNotHeldException ex) {
				Files.writeString(this.folder.resolve("refused." + this.name), term);
				return;
			}
			try {
				this.writes
					.resource(new ConfigMapBuilder().withNewMetadata()
						.withNamespace(this.namespace)
						.withGenerateName("act-")
						.addToLabels("act", "job")
						.endMetadata()
						.addToData("term", term)
						.build())
					.create();
			}
			catch (KubernetesClientException ex) {
				// Cut off: the next one asks again whether it may.
				System.err.println(ex);
			}
			pause();
		}
	}

	private static void unlock(SimpleLock lock) {
		lock.unlock();
	}

	/* Before a write, not within one: a write that is on its way nobody can guard. */
	private void awaitRelease() throws IOException {
		while (Files.exists(this.folder.resolve("hold." + this.name))) {
			Files.writeString(this.folder.resolve("reached." + this.name), "");
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	private static void pause() {
		LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
	}

}
