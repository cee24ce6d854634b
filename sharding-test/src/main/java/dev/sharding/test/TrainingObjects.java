package dev.sharding.test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * What a program works with while its launch is trained.
 */
final class TrainingObjects {

	/** The API server takes a moment to know a new kind. */
	private static final Duration KNOWN_AFTER = Duration.ofSeconds(60);

	private final KubernetesClient client;

	private final List<HasMetadata> generated = new ArrayList<>();

	private final List<Lease> renewed = new ArrayList<>();

	private TrainingObjects(KubernetesClient client) {
		this.client = client;
	}

	static TrainingObjects apply(KubernetesClient client, List<Path> files) throws IOException, InterruptedException {
		TrainingObjects objects = new TrainingObjects(client);
		for (Path file : files) {
			try (InputStream yaml = Files.newInputStream(file)) {
				for (HasMetadata object : client.load(yaml).items()) {
					objects.add(object);
				}
			}
		}
		objects.next();
		return objects;
	}

	private void add(HasMetadata object) throws InterruptedException {
		if (object.getMetadata().getGenerateName() != null) {
			this.generated.add(object);
			return;
		}
		long end = System.nanoTime() + KNOWN_AFTER.toNanos();
		while (true) {
			try {
				this.client.resource(object).create();
				break;
			}
			catch (KubernetesClientException ex) {
				if (System.nanoTime() - end > 0) {
					throw ex;
				}
				Thread.sleep(200);
			}
		}
		if (object instanceof Lease lease && isHeld(lease)) {
			this.renewed.add(lease);
		}
	}

	/** Creates what has no name of its own, and renews the Leases. */
	void next() {
		this.generated.forEach((object) -> this.client.resource(object).create());
		for (Lease lease : this.renewed) {
			this.client.resource(lease).edit((current) -> {
				current.getSpec().setRenewTime(ZonedDateTime.now(ZoneOffset.UTC));
				return current;
			});
		}
	}

	/** Whether somebody else has taken a Lease, thus works. */
	boolean isLeaseTaken() {
		long ours = this.renewed.size();
		return this.client.leases()
			.inAnyNamespace()
			.list()
			.getItems()
			.stream()
			.filter((lease) -> !lease.getMetadata().getNamespace().equals("kube-system") && isHeld(lease))
			.count() > ours;
	}

	private static boolean isHeld(Lease lease) {
		String holder = lease.getSpec().getHolderIdentity();
		return holder != null && !holder.isEmpty();
	}

}
