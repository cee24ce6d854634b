package dev.sharding.qos;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.qos.RememberedShape;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps what is remembered of the shapes of requests in a ConfigMap, beside that of the
 * rules, so that a restart does not make dear requests look cheap. Read at the start,
 * written seldom and at the end. Nothing depends on it: what fails is told at level
 * {@code DEBUG}.
 */
final class ShapesConfigMap implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(ShapesConfigMap.class);

	static final String KEY = "shapes.json";

	private static final Duration PERIOD = Duration.ofMinutes(10);

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final Duration AT_THE_END = Duration.ofSeconds(2);

	private final Qos qos;

	private final KubernetesClient client;

	private final ConfigMapWriter writer;

	private final String path;

	private @Nullable ScheduledExecutorService executor;

	/**
	 * Creates the bridge.
	 * @param client an unlimited client of the ConfigMap's cluster
	 * @param namespace the ConfigMap's
	 * @param name the ConfigMap's
	 */
	ShapesConfigMap(Qos qos, KubernetesClient client, String namespace, String name) {
		this.qos = qos;
		this.client = client;
		this.writer = new ConfigMapWriter(client, namespace, name);
		this.path = "/api/v1/namespaces/" + namespace + "/configmaps/" + name;
	}

	@Override
	public synchronized void start() {
		ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor((task) -> {
			Thread thread = new Thread(task, "qos-shapes");
			thread.setDaemon(true);
			return thread;
		});
		this.executor = started;
		try {
			this.qos.remember(shapes(read()));
		}
		catch (RuntimeException ex) {
			logger.debug("What requests cost before the start is not known: {}", ex.getMessage());
		}
		long period = PERIOD.toMillis();
		// Those that started together do not write together.
		started.scheduleWithFixedDelay(this::write, period / 2 + ThreadLocalRandom.current().nextLong(period), period,
				TimeUnit.MILLISECONDS);
	}

	@Override
	public synchronized void stop() {
		ScheduledExecutorService started = this.executor;
		this.executor = null;
		if (started != null) {
			// An API server that does not answer must not cost the process its grace
			// period.
			Future<?> last = started.submit(this::write);
			started.shutdown();
			try {
				last.get(AT_THE_END.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (ExecutionException | TimeoutException ex) {
				logger.debug("What requests cost was not written in the end: {}", String.valueOf(ex.getMessage()));
			}
			finally {
				started.shutdownNow();
			}
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.executor != null;
	}

	/* Before anything that sends requests, and after it at the end. */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE + 1_000;
	}

	private void write() {
		List<RememberedShape> own = this.qos.remembered();
		if (own.isEmpty()) {
			return;
		}
		try {
			ConfigMap before = read();
			this.writer.write(before, KEY,
					ShapesText.write(ShapesText.merge(own, shapes(before)), this.client.getKubernetesSerialization()));
		}
		catch (RuntimeException ex) {
			logger.debug("What requests cost was not written: {}", ex.getMessage());
		}
	}

	private @Nullable ConfigMap read() {
		try {
			return this.client.getKubernetesSerialization()
				.unmarshal(new ApiRequests(this.client).call(ApiRequest.of("GET", this.path).timeout(TIMEOUT)).text(),
						ConfigMap.class);
		}
		catch (ApiException ex) {
			if (ex.isNotFound()) {
				return null;
			}
			throw ex;
		}
	}

	/* Whoever wrote what cannot be read, it is written anew. */
	private List<RememberedShape> shapes(@Nullable ConfigMap map) {
		String text = (map != null && map.getData() != null) ? map.getData().get(KEY) : null;
		KubernetesSerialization serialization = this.client.getKubernetesSerialization();
		try {
			return (text != null) ? ShapesText.parse(text, serialization) : List.of();
		}
		catch (RuntimeException ex) {
			logger.debug("What requests cost cannot be read: {}", ex.getMessage());
			return List.of();
		}
	}

}
