package dev.sharding.qos;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.Caller;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/**
 * Tells QoS who this process is, how many shards there are, and how full the server's
 * storage is. Its questions pass the rules, which would otherwise keep themselves from
 * knowing what they are about.
 */
final class QosLifecycle implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(QosLifecycle.class);

	private final Qos qos;

	private final @Nullable KubernetesClient client;

	private final ShardCount shardCount;

	private final QosProperties properties;

	private final @Nullable QosShard shard;

	private @Nullable ScheduledExecutorService executor;

	/**
	 * Creates the lifecycle.
	 * @param client asks the API server; {@code null} if there is none, or no primary one
	 * @param shardCount reads how many shards there are
	 * @param shard which shard this is, {@code null} for none
	 */
	QosLifecycle(Qos qos, @Nullable KubernetesClient client, ShardCount shardCount, QosProperties properties,
			@Nullable QosShard shard) {
		this.qos = qos;
		this.client = client;
		this.shardCount = shardCount;
		this.properties = properties;
		this.shard = shard;
	}

	@Override
	public synchronized void start() {
		ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "qos");
			thread.setDaemon(true);
			return thread;
		});
		this.executor = started;
		this.qos.identify(new Caller("", "", "", name()));
		KubernetesClient asked = this.client;
		if (asked != null) {
			// First, as rules for users apply to nothing before that.
			started.execute(() -> identify(started, new ApiRequests(asked), asked.getKubernetesSerialization(), true));
		}
		started.scheduleWithFixedDelay(this.shardCount::read, 0, this.properties.membershipPeriod().toMillis(),
				TimeUnit.MILLISECONDS);
		if (asked == null) {
			logger.warn("QoS rules for a user or a service account and for the server's storage do not apply, and lists"
					+ " are predicted from earlier ones only, as there is no client, or more than one and none of them primary");
			return;
		}
		ApiRequests requests = new ApiRequests(asked);
		this.qos.countBy(new ApiRequests(ThrottledClient.unthrottled(asked)), asked.getKubernetesSerialization(),
				started);
		if (this.properties.storageQuota() != null) {
			started.scheduleWithFixedDelay(() -> readStorage(requests), 0, this.properties.storagePeriod().toMillis(),
					TimeUnit.MILLISECONDS);
		}
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

	private String name() {
		return (this.shard != null) ? this.shard.name() : "";
	}

	/* Again and again until the server says it: it may be away while we start. */
	private void identify(ScheduledExecutorService started, ApiRequests requests, KubernetesSerialization serialization,
			boolean first) {
		try {
			SelfSubjectReview review = serialization.unmarshal(
					requests
						.call(ApiRequest
							.of("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "application/json",
									"{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}")
							.timeout(Duration.ofSeconds(5))
							.exempted())
						.text(),
					SelfSubjectReview.class);
			this.qos.identify(new Caller("", "", "", name()).as(review.getStatus().getUserInfo().getUsername()));
		}
		catch (RuntimeException ex) {
			logger.atLevel(first ? Level.INFO : Level.DEBUG)
				.log("QoS rules for a user or a service account do not apply yet, as the API server does not say who we"
						+ " are: {}", ex.getMessage());
			if (!started.isShutdown()) {
				started.schedule(() -> identify(started, requests, serialization, false),
						this.properties.membershipPeriod().toMillis(), TimeUnit.MILLISECONDS);
			}
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
