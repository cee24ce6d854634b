package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.core.qos.Caller;
import dev.sharding.core.qos.QosRule;
import dev.sharding.kubernetes.qos.Qos;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.RequestThrottle;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Tells QoS who this process is and how full the server's storage is.
 */
final class QosLifecycle implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(QosLifecycle.class);

	private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

	private final Qos qos;

	private final KubernetesClient client;

	private final QosProperties properties;

	private final @Nullable ShardSettings shard;

	private @Nullable ScheduledExecutorService executor;

	QosLifecycle(Qos qos, KubernetesClient client, QosProperties properties, @Nullable ShardSettings shard) {
		this.qos = qos;
		this.client = client;
		this.properties = properties;
		this.shard = shard;
	}

	@Override
	public synchronized void start() {
		if (!RequestThrottle.Tag.isOn(this.client.getHttpClient())) {
			logger.warn("QoS rules do not apply, as the application defines its own KubernetesClient:"
					+ " build it withHttpClientBuilderConsumer((http) -> http.tag(new RequestThrottle.Tag(qos)))");
		}
		ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "qos");
			thread.setDaemon(true);
			return thread;
		});
		ApiRequests requests = new ApiRequests(this.client);
		started.execute(() -> identify(requests));
		if (this.properties.storageQuota() != null) {
			started.scheduleWithFixedDelay(() -> readStorage(requests), 0, this.properties.storagePeriod().toMillis(),
					TimeUnit.MILLISECONDS);
		}
		if (this.shard != null) {
			String path = "/apis/sharding.timebertt.dev/v1alpha1/controllerrings/" + this.shard.ring();
			started.scheduleWithFixedDelay(() -> countShards(requests, path), 0,
					this.properties.storagePeriod().toMillis(), TimeUnit.MILLISECONDS);
		}
		this.executor = started;
	}

	@Override
	public synchronized void stop() {
		if (this.executor != null) {
			this.executor.shutdownNow();
			this.executor = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	/* Before anything that sends requests. */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE + 1_000;
	}

	private void identify(ApiRequests requests) {
		String name = (this.shard != null) ? this.shard.lease().identity() : "";
		this.qos.identify(new Caller("", "", "", name));
		try {
			SelfSubjectReview review = this.client.getKubernetesSerialization()
				.unmarshal(
						requests
							.call(ApiRequest
								.of("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "application/json",
										"{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}")
								.timeout(Duration.ofSeconds(5)))
							.text(),
						SelfSubjectReview.class);
			String user = review.getStatus().getUserInfo().getUsername();
			String account = user.startsWith(SERVICE_ACCOUNT)
					? user.substring(SERVICE_ACCOUNT.length()).replace(':', '/') : "";
			this.qos.identify(new Caller("", account, user, name));
		}
		catch (RuntimeException ex) {
			logger.info("QoS rules for a user or a service account do not apply, as the API server does not say who we"
					+ " are: {}", ex.getMessage());
		}
	}

	private void countShards(ApiRequests requests, String path) {
		if (this.qos.rules().rules().stream().noneMatch(QosRule::ringWide)) {
			return;
		}
		try {
			GenericKubernetesResource ring = this.client.getKubernetesSerialization()
				.unmarshal(requests.call(ApiRequest.of("GET", path).timeout(Duration.ofSeconds(10))).text(),
						GenericKubernetesResource.class);
			if (ring.get("status", "availableShards") instanceof Number available) {
				this.qos.shards(available.intValue());
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The number of shards is not known: {}", ex.getMessage());
		}
	}

	private void readStorage(ApiRequests requests) {
		try {
			this.qos.serverMetrics(
					requests.call(ApiRequest.of("GET", "/metrics").accept("text/plain").timeout(Duration.ofSeconds(10)))
						.text());
		}
		catch (RuntimeException ex) {
			logger.debug("The size of the server's storage is not known: {}", ex.getMessage());
		}
	}

}
