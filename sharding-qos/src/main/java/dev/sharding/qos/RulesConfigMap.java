package dev.sharding.qos;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

import dev.sharding.cache.InformerEvent;
import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.qos.Qos;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.qos.QosProperties.ConfigMapProperties;
import dev.sharding.qos.spi.InvalidQosException;
import dev.sharding.qos.spi.QosRules;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Puts the rules of a ConfigMap in force that all replicas watch, and writes changes into
 * it. As long as it has no rules, those of the configuration are in force. Rules that
 * cannot be used change nothing; log, Event, health and meter say so. No rule limits what
 * is asked here, so that none can keep itself from being changed.
 */
final class RulesConfigMap implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(RulesConfigMap.class);

	/** The rules, as the endpoint exports them. */
	static final String KEY = "rules.yaml";

	/* For the first list: so that a restart begins with the rules that there are. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	/* For the watch to tell of an own write. */
	private static final Duration UNTIL_TOLD = Duration.ofSeconds(10);

	private final Qos qos;

	private final QosRules configured;

	private final KubernetesClient client;

	private final ConfigMapWriter writer;

	private final String namespace;

	private final String name;

	private final EventRecorder events;

	private final InstantSource clock;

	private volatile RulesOrigin origin = RulesOrigin.CONFIGURATION;

	private volatile @Nullable Informer<ConfigMap> informer;

	/* Guarded by this. */
	private @Nullable ConfigMap latest;

	/* Guarded by this: what was put in force last. */
	private QosRules inForce;

	/* Guarded by this: the ConfigMap has rules that are not in force. */
	private boolean switchedOff;

	/**
	 * Creates the bridge.
	 * @param client an unlimited client of the ConfigMap's cluster
	 * @param namespace the ConfigMap's
	 * @param name the ConfigMap's
	 */
	RulesConfigMap(Qos qos, KubernetesClient client, String namespace, String name, EventRecorder events,
			InstantSource clock) {
		this.qos = qos;
		this.configured = qos.rules();
		this.inForce = this.configured;
		this.client = client;
		this.writer = new ConfigMapWriter(client, namespace, name);
		this.namespace = namespace;
		this.name = name;
		this.events = events;
		this.clock = clock;
	}

	/**
	 * Creates the bridge of an application.
	 * @param client of the ConfigMap's cluster
	 * @param properties which ConfigMap
	 * @param shard the name of this shard; empty if it is none
	 */
	static RulesConfigMap of(Qos qos, KubernetesClient client, ConfigMapProperties properties, String shard) {
		KubernetesClient unlimited = ThrottledClient.unthrottled(client);
		return new RulesConfigMap(qos, unlimited, properties.namespace(client),
				Objects.requireNonNull(properties.name()),
				new EventRecorder(new ApiRequests(unlimited), unlimited.getKubernetesSerialization(),
						"sharding.timebertt.dev/qos", shard.isEmpty() ? "qos" : shard, InstantSource.system()),
				InstantSource.system());
	}

	/** Returns where what is remembered of requests is kept: beside the rules. */
	ShapesConfigMap shapes() {
		return new ShapesConfigMap(this.qos, this.client, this.namespace, this.name + "-shapes");
	}

	/**
	 * Registers the meter that says whether the ConfigMap has rules that cannot be used.
	 */
	void bindTo(MeterRegistry meters) {
		Gauge.builder("sharding.qos.rules.refused", this, (map) -> (map.origin.refused() != null) ? 1 : 0)
			.description("Whether the ConfigMap has rules that cannot be used, so that others are in force: 1 or 0")
			.register(meters);
	}

	@Override
	public void start() {
		Informer<ConfigMap> started = new Informer<>(this.client,
				InformerSpec.of(ResourceType.of(ConfigMap.class))
					.inNamespaces(List.of(this.namespace))
					.withFieldSelector("metadata.name=" + this.name));
		started.addHandler(this::take);
		this.informer = started;
		started.start();
		if (!isDone(started.synced(), PATIENCE)) {
			logger.warn("{} was not read yet, so the QoS rules are those of the configuration until then: {}", this,
					started.status().lastError());
		}
	}

	@Override
	public void stop() {
		Informer<ConfigMap> started = this.informer;
		this.informer = null;
		if (started != null) {
			started.close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.informer != null;
	}

	/* Before anything that sends requests, as QoS itself. */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE + 1_000;
	}

	private void take(InformerEvent<ConfigMap> event) {
		if (event instanceof InformerEvent.Added<ConfigMap> added) {
			take(added.object());
		}
		else if (event instanceof InformerEvent.Updated<ConfigMap> updated) {
			take(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<ConfigMap>) {
			take((ConfigMap) null);
		}
	}

	private synchronized void take(@Nullable ConfigMap map) {
		this.latest = map;
		String text = (map != null && map.getData() != null) ? map.getData().get(KEY) : null;
		try {
			if (map != null && map.getBinaryData() != null && map.getBinaryData().containsKey(KEY)) {
				throw new InvalidQosException(KEY, "'%s' is binary data: it must be text in UTF-8".formatted(KEY));
			}
			QosRules rules = (text != null) ? RulesText.parse(KEY, text) : this.configured;
			this.qos.change((before) -> rules);
			this.inForce = rules;
			this.switchedOff = text != null && rules == QosRules.NONE;
			this.origin = new RulesOrigin((text != null) ? toString() : RulesOrigin.CONFIGURATION.origin(),
					(map != null && text != null) ? map.getMetadata().getResourceVersion() : "", this.clock.instant(),
					null);
		}
		catch (RuntimeException ex) {
			// A piece of the application may throw as well.
			String reason = String.valueOf(ex.getMessage());
			this.origin = this.origin.refusing(reason);
			logger.error("The QoS rules in {} cannot be used, those in force stay: {}", this, reason);
			if (map != null) {
				this.events.warning(map, "QosRulesRefused", "ChangeRules", reason);
			}
		}
	}

	/**
	 * Writes a change into the ConfigMap. Others hear of it by their watch, as we do.
	 * @param change from the rules in force to the new ones
	 * @return whether the new ones are in force here by now
	 * @throws InvalidQosException if the new ones cannot be used
	 * @throws RulesNotWrittenException if they were not written
	 */
	boolean change(UnaryOperator<QosRules> change) {
		Informer<ConfigMap> following = this.informer;
		if (following == null || !following.status().synced()) {
			throw new RulesNotWrittenException(false, this + " was not read yet: try again");
		}
		ConfigMap before;
		QosRules rules;
		synchronized (this) {
			String refused = this.origin.refused();
			if (refused != null) {
				throw new RulesNotWrittenException(true,
						"The rules in %s cannot be used: correct or delete them first: %s".formatted(this, refused));
			}
			if (this.switchedOff) {
				throw new RulesNotWrittenException(true,
						"The rules in %s are switched off: remove 'enabled: false' there first".formatted(this));
			}
			before = this.latest;
			rules = this.inForce;
		}
		String text = QosExport.yaml(change.apply(rules));
		// What nobody could read must not get there.
		RulesText.parse(KEY, text);
		return isDone(following.told(this.writer.write(before, KEY, text), this.namespace), UNTIL_TOLD);
	}

	private static boolean isDone(CompletableFuture<Void> future, Duration patience) {
		try {
			future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (ExecutionException | TimeoutException ex) {
			return false;
		}
		finally {
			future.cancel(false);
		}
	}

	/**
	 * Returns where the rules in force come from.
	 * @return the origin
	 */
	RulesOrigin origin() {
		return this.origin;
	}

	/**
	 * Returns how the watch of the ConfigMap fares.
	 * @return the status, {@code null} before the start and after the end
	 */
	@Nullable InformerStatus status() {
		Informer<ConfigMap> following = this.informer;
		return (following != null) ? following.status() : null;
	}

	@Override
	public String toString() {
		return "ConfigMap " + this.namespace + "/" + this.name;
	}

}
