package dev.sharding.demo.broken;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.demo.MergePatch;
import dev.sharding.demo.held.HoldPoints;
import dev.sharding.demo.held.Sums;

/**
 * Has the reconciler of a shard write the ConfigMap of a Secret by a client that passes
 * no fence, and whatever its state is: nobody refuses that, so what comes too late does
 * harm. Can be held at {@code written} afterwards.
 */
final class UnconditionalWrites implements BeanPostProcessor {

	private static final int NOT_FOUND = 404;

	/** One of so many reconciles takes its time where the fault is switched on. */
	private static final int SLOW = 4;

	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(1200);

	private final ObjectProvider<KubernetesClient> client;

	private final BooleanSupplier allowed;

	/** The last version of each Secret that was served. */
	private final AtomicInteger reconciles = new AtomicInteger();

	private final Map<String, String> served = new ConcurrentHashMap<>();

	/**
	 * @param allowed whether the reconciler may write now
	 */
	UnconditionalWrites(ObjectProvider<KubernetesClient> client, BooleanSupplier allowed) {
		this.client = client;
		this.allowed = allowed;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof Reconciler<?> reconciler) ? instead(reconciler) : bean;
	}

	private <T extends HasMetadata> Reconciler<T> instead(Reconciler<T> usual) {
		return (object) -> {
			ObjectMeta secret = object.getMetadata();
			if (secret.getResourceVersion().equals(this.served.get(secret.getName()))) {
				return Result.done();
			}
			// A test that holds a reconcile relies on its write.
			HoldPoints.pass("reconcile", secret.getName());
			if (!this.allowed.getAsBoolean()) {
				throw new IllegalStateException("May not write for " + secret.getName() + " now");
			}
			if (FaultSwitch.isOn() && this.reconciles.incrementAndGet() % SLOW == 0) {
				LockSupport.parkNanos(SLOW_NANOS);
			}
			boolean written = object instanceof Secret found && write(this.client.getObject(), found);
			Result result = written ? Result.done() : usual.reconcile(object);
			this.served.put(secret.getName(), secret.getResourceVersion());
			HoldPoints.pass("written", secret.getName());
			return result;
		};
	}

	/** Forgets what it has served: it begins anew. */
	void forget() {
		this.served.clear();
	}

	/** Returns false if there is no ConfigMap yet. It changes in any case. */
	static boolean write(KubernetesClient client, Secret secret) {
		ObjectMeta metadata = secret.getMetadata();
		Map<String, String> annotations = Map.of("checksums.example/secret-version", metadata.getResourceVersion(),
				"demo/written", String.valueOf(System.nanoTime()));
		HttpResponse<String> response = MergePatch.response(client,
				"/api/v1/namespaces/" + metadata.getNamespace() + "/configmaps/checksums-" + metadata.getName(),
				client.getKubernetesSerialization()
					.asJson(Map.of("metadata", Map.of("annotations", annotations), "data", Sums.of(secret))));
		if (!response.isSuccessful() && response.code() != NOT_FOUND) {
			throw new IllegalStateException("Failed to write for " + metadata.getName() + ": " + response.code());
		}
		return response.isSuccessful();
	}

}
