package dev.sharding.internal.autoconfigure.runtime;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;

import dev.sharding.internal.autoconfigure.ring.ClusterCheck;
import dev.sharding.internal.autoconfigure.ring.LeaseConnection;
import dev.sharding.internal.autoconfigure.ring.RingCheck;
import dev.sharding.internal.autoconfigure.ring.RingDeclaration;
import dev.sharding.internal.autoconfigure.ring.RingWatch;
import dev.sharding.internal.autoconfigure.settings.ElectionLease;
import dev.sharding.internal.autoconfigure.settings.RingNames;
import dev.sharding.internal.autoconfigure.settings.ShardSettings;
import dev.sharding.internal.autoconfigure.settings.ShardWatch;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.RingDefinition;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.slot.SlotOptions;
import dev.sharding.qos.QosShard;
import dev.sharding.shard.ApplicationExit;
import dev.sharding.shard.DrainHandler;
import dev.sharding.shard.RuntimeOptions;
import dev.sharding.shard.Shard;

/**
 * Makes shards of rings, and what looks after them in the application. Each ring has its
 * own; they share the connections.
 */
public final class RingShards {

	private static final Logger logger = LoggerFactory.getLogger(RingShards.class);

	private final KubernetesClient client;

	private final LeaseConnection leaseConnection;

	private final ShardingProperties properties;

	private final RuntimeOptions options;

	private final ConfigurableListableBeanFactory factory;

	private final ApplicationEventPublisher publisher;

	private final ObjectProvider<ApplicationExit> exit;

	private final MadeControllers controllers;

	private final ElectionLease election;

	/* The properties that name the shards, by the paths of their Leases. */
	private final Map<String, String> leases = new HashMap<>();

	public RingShards(KubernetesClient client, LeaseConnection leaseConnection, ShardingProperties properties,
			RuntimeOptions options, ConfigurableListableBeanFactory factory, ApplicationEventPublisher publisher,
			ObjectProvider<ApplicationExit> exit, MadeControllers controllers, ElectionLease election) {
		this.election = election;
		this.client = client;
		this.leaseConnection = leaseConnection;
		this.properties = properties;
		this.options = options;
		this.factory = factory;
		this.publisher = publisher;
		this.exit = exit;
		this.controllers = controllers;
	}

	/** The shard of the application's ring. */
	public Shard main(ShardSettings settings, @Nullable DrainHandler drainHandler) {
		return shard(settings, this.options, drainHandler);
	}

	private Shard shard(ShardSettings settings, RuntimeOptions with, @Nullable DrainHandler drainHandler) {
		KubernetesClient leases = this.leaseConnection.client();
		if (settings.slots() != null) {
			return Shard.ofSlots(this.client, leases, settings.slots(), with, drainHandler);
		}
		return new Shard(this.client, leases, settings.ring(), Objects.requireNonNull(settings.lease()), with,
				drainHandler);
	}

	/** The shard of a further ring. */
	Shard shard(String ring) {
		ShardSettings settings = ShardSettings.further(ring, this.properties,
				this.client.getConfiguration().getNamespace(), ShardSettings::hostName, this.election);
		List<String> namespaces = further(ring).namespaces();
		return shard(settings,
				(namespaces != null) ? this.options.withNamespaces(Set.copyOf(namespaces)) : this.options, null);
	}

	/** What looks after the shard of a further ring. */
	ShardPart part(String ring) {
		List<String> namespaces = further(ring).namespaces();
		return part(this.factory.getBean(FurtherRings.shardOf(ring), Shard.class), further(ring).definition(),
				(namespaces != null) ? Set.copyOf(namespaces) : this.options.namespaces(),
				RingNames.of(this.properties));
	}

	/** What looks after the shard of the application's ring. */
	public ShardPart mainPart(Shard shard) {
		return part(shard, this.properties.definition(), this.options.namespaces(),
				new RingNames(true, shard.ring(), this.properties.rings().keySet()));
	}

	/** What the limits of a further ring are divided by. */
	QosShard limits(String ring) {
		return limitsOf(this.factory.getBean(FurtherRings.shardOf(ring), Shard.class), this.client);
	}

	/** What the limits of a shard's ring are divided by. */
	public static QosShard limitsOf(Shard shard, KubernetesClient client) {
		return new QosShard(RingCheck.PATH + shard.ring(), nameOf(shard), client,
				() -> shard.heldLease().flatMap(LeaseHolder::term).map(LeaseTerm::acquired).orElse(null));
	}

	/** What names a process in limits: its shard or, with slots, its pod. */
	private static String nameOf(Shard shard) {
		return shard.slots().map(SlotOptions::pod).orElseGet(shard::name);
	}

	/** Starts and stops what looks after the shard of a further ring. */
	PartLifecycle lifecycle(String ring) {
		return new PartLifecycle(this.factory.getBean(FurtherRings.partOf(ring), ShardPart.class),
				this.properties.autoStartup());
	}

	private ShardPart part(Shard shard, RingDefinition definition, Set<String> namespaces, RingNames names) {
		String ring = shard.ring();
		requireOwnLease(shard, names.further().contains(ring) ? "sharding.rings.%s".formatted(ring) : "sharding");
		if (definition.isIdle()) {
			logger.warn("'resources' and 'namespace-selector' of the definition of ring {} do nothing as long as its"
					+ " 'apply' is false", ring);
		}
		RingDeclaration declaration = definition.apply()
				? new RingDeclaration(this.client, ring, definition, this.options.fieldManager()) : null;
		boolean slots = shard.slots().isPresent();
		ClusterCheck cluster = ClusterCheck.ofShard(this.client, namespaces, shard.leaseNamespace(),
				slots ? ring : null, slots || shard.lease().config().notes() != null);
		RingCheck check = new RingCheck(this.client, ring, namespaces);
		if (declaration == null && this.properties.autoStartup()) {
			check.ask();
		}
		return new ShardPart(shard, new ControllerSpecs(this.factory, names, this.controllers),
				new RingWatch(check, declaration, cluster, this.properties.onStartupProblem(),
						RingWatch.PAUSE_WHILE_WELL),
				new ShardWatch(ring, shard::name, this.publisher, shard.userCode(),
						(reason) -> this.exit.getObject().begin(reason), this.properties.lease().onLoss()),
				new ShardMetrics(this.options.meters(), shard));
	}

	/* Otherwise they would take each other for a second process of one name. */
	private void requireOwnLease(Shard shard, String prefix) {
		SlotOptions slots = shard.slots().orElse(null);
		String lease = (slots != null) ? slots.namespace() + "/" + slots.names().name(0)
				: shard.lease().config().path();
		String property = prefix + ((slots != null) ? ".slot-prefix" : ".shard-name");
		String other = this.leases.putIfAbsent(lease, property);
		if (other != null) {
			throw new ShardingStartupException(
					"The shards named by '%s' and '%s' want the same Lease, '%s'".formatted(other, property, lease),
					"Set '%s' and '%s' to different names, or the namespaces of their Leases to different ones."
						.formatted(other, property),
					null);
		}
	}

	private ShardingProperties.Ring further(String ring) {
		return Objects.requireNonNull(this.properties.rings().get(ring));
	}

}
