package dev.sharding.internal.autoconfigure.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesSource;
import org.springframework.boot.context.properties.bind.DefaultValue;

import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;

/**
 * What can be set.
 *
 * @param enabled Whether controllers are sharded; otherwise the same beans run in the
 * elected replica only, without any ring.
 * @param autoStartup Whether the application takes its Leases and starts its controllers,
 * and its sharder, when the context starts; false where a test wants the beans alone.
 * @param ring Name of the ControllerRing that this application is a shard of.
 * @param shardName Name of this shard, unique in its ring; the host name unless set.
 * @param slots How many slots there are, at most 1000: shards are then named by slots,
 * and a replica acquires one or stands by, so that a roll-out moves nothing. 0 for none.
 * @param slotPrefix What the names of slots begin with; the ring and a short hash of the
 * namespace of the Lease unless set.
 * @param slotWait How long a replica waits for a slot that is given back before it opens
 * a new one.
 * @param podTemplateHash The pod's label pod-template-hash, from the downward API, by
 * which a roll-out is told from a scale-up.
 * @param namespaces Namespaces whose objects are watched; all unless set.
 * @param rings Further rings that this application is a shard of, by the name of the
 * ControllerRing. Their controllers name them in ShardedController.
 * @param definition What the ControllerRing shall be.
 * @param onStartupProblem What to do at the start if the API server cannot be reached, or
 * a ring, a resource or a right is missing: start and look again until all is well
 * (wait), or end (fail).
 * @param readiness When the readiness probe says yes: once all controllers have joined,
 * and from then on (once); only as long as all of them reconcile or wait for their turn
 * (follow); whatever the controllers do (off).
 * @param lease The shard's Lease.
 * @param informer How resources are watched.
 * @param cache How caches answer reads that must be consistent.
 * @param reconcile How objects are reconciled.
 * @param leaderElection Which replica runs the controllers outside any ring.
 */
@ConfigurationProperties("sharding")
public record ShardingProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean autoStartup,
		@Nullable String ring, @Nullable String shardName, @DefaultValue("0") int slots, @Nullable String slotPrefix,
		@DefaultValue("30s") Duration slotWait, @Nullable String podTemplateHash, @DefaultValue List<String> namespaces,
		@DefaultValue Map<String, Ring> rings, @DefaultValue RingDefinition definition,
		@DefaultValue("wait") OnStartupProblem onStartupProblem, @DefaultValue("once") Readiness readiness,
		@DefaultValue Lease lease, @DefaultValue Informer informer, @DefaultValue Cache cache,
		@DefaultValue Reconcile reconcile, @DefaultValue LeaderElection leaderElection) {

	public ShardingProperties {
		requireNames("sharding.namespaces", namespaces);
		rings.forEach((name, further) -> requireNames("sharding.rings.%s.namespaces".formatted(name),
				Objects.requireNonNullElse(further.namespaces(), List.of())));
	}

	private static void requireNames(String property, List<String> names) {
		if (names.stream().anyMatch(String::isBlank)) {
			throw new IllegalArgumentException(
					"'%s' must not contain an empty name (is %s)".formatted(property, names));
		}
	}

	/**
	 * What to do about a problem at the start that may heal by itself.
	 */
	public enum OnStartupProblem {

		/** Start, say so, and try again until it is gone. */
		WAIT,

		/** End the start and say what to do about it. */
		FAIL

	}

	/**
	 * When the application is ready.
	 */
	public enum Readiness {

		/**
		 * Once all controllers have joined and their caches are synced, and from then on
		 * whatever becomes of the API server or the Lease.
		 */
		ONCE,

		/** As long as all controllers reconcile or wait for their turn. */
		FOLLOW,

		/** Whatever the controllers do. */
		OFF

	}

	/**
	 * A further ring.
	 *
	 * @param shardName Name of this shard in the ring; unless set, that of the
	 * application's shard with the name of the ring appended.
	 * @param namespaces Namespaces whose objects are watched for this ring; those of the
	 * application unless set.
	 * @param leaseNamespace Namespace of the Lease for this ring; that of the application
	 * unless set.
	 * @param definition What the ControllerRing shall be.
	 */
	@ConfigurationPropertiesSource
	public record Ring(@Nullable String shardName, @Nullable List<String> namespaces, @Nullable String leaseNamespace,
			@DefaultValue RingDefinition definition) {

		/**
		 * Binds a ring that is only named, such as by {@code websites:} in YAML.
		 * @param text nothing
		 * @return a ring without properties of its own
		 */
		public static Ring valueOf(String text) {
			if (!text.isBlank()) {
				throw new IllegalArgumentException(
						"a ring has properties such as 'shard-name', or none, and no value (is '%s')".formatted(text));
			}
			return new Ring(null, null, null, new RingDefinition(false, List.of(), Map.of()));
		}

	}

	/**
	 * What the ControllerRing shall be.
	 *
	 * @param apply Whether the application creates or updates the ControllerRing at its
	 * start, by server-side apply; needs the rights create and patch on controllerrings.
	 * @param resources Main resources of the ring; those of the controllers unless set.
	 * @param namespaceSelector Labels of the namespaces whose objects are sharded, those
	 * with a slash in brackets: "[kubernetes.io/metadata.name]". All namespaces but those
	 * that the sharder excludes unless set.
	 */
	public record RingDefinition(@DefaultValue("false") boolean apply, @DefaultValue List<MainResource> resources,
			@DefaultValue Map<String, String> namespaceSelector) {

		/** Whether something is set that has no effect. */
		public boolean isIdle() {
			return !this.apply && !(this.resources.isEmpty() && this.namespaceSelector.isEmpty());
		}

		/**
		 * A main resource of the ring.
		 *
		 * @param group API group; empty for the core group.
		 * @param resource Plural name, such as secrets.
		 * @param controlledResources Resources whose objects follow the main object that
		 * controls them.
		 */
		@ConfigurationPropertiesSource
		public record MainResource(@DefaultValue("") String group, String resource,
				@DefaultValue List<ControlledResource> controlledResources) {

			public MainResource {
				requireResource(resource);
			}

		}

		/**
		 * A controlled resource of the ring.
		 *
		 * @param group API group; empty for the core group.
		 * @param resource Plural name, such as configmaps.
		 */
		@ConfigurationPropertiesSource
		public record ControlledResource(@DefaultValue("") String group, String resource) {

			public ControlledResource {
				requireResource(resource);
			}

		}

		private static void requireResource(@Nullable String resource) {
			if (resource == null || resource.isBlank()) {
				throw new IllegalArgumentException("'resource' must be the plural name of a resource (is %s)"
					.formatted((resource != null) ? "empty" : "not set"));
			}
		}

	}

	/**
	 * What to do when the Lease is lost.
	 */
	enum OnLoss {

		/** Stop reconciling, and join the ring again when that is possible. */
		REJOIN,

		/** End the application. */
		EXIT

	}

	/**
	 * The shard's Lease.
	 *
	 * @param namespace Namespace of the Lease; that of the pod or of the kubeconfig
	 * context unless set.
	 * @param duration How long the Lease is valid after a renewal, in whole seconds.
	 * @param renewDeadline How long after the last successful renewal the shard stops to
	 * act; two thirds of the duration unless set.
	 * @param retryPeriod How long to wait between two renewals; two fifteenths of the
	 * duration unless set.
	 * @param onLoss What to do when the Lease is lost: stop reconciling and join again
	 * (rejoin), or end the application (exit).
	 * @param maxDuration The longest duration that a Lease may have: that of this shard,
	 * and what it believes of another process of its name. Not longer than the sharder's
	 * sharding.sharder.max-lease-duration.
	 * @param grace How long the objects of this shard wait for the next process of its
	 * name once its Lease was given back, in whole seconds and at most 5m; unless set,
	 * 30s with slots and else 0.
	 */
	public record Lease(@Nullable String namespace, @DefaultValue("15s") Duration duration,
			@Nullable Duration renewDeadline, @Nullable Duration retryPeriod, @DefaultValue("rejoin") OnLoss onLoss,
			@DefaultValue("10m") Duration maxDuration, @Nullable Duration grace) {
	}

	/**
	 * How resources are watched.
	 *
	 * @param failureTimeout After how long without a list or watch of a resource of the
	 * ring the shard gives its objects away, by releasing its Lease until it can watch
	 * again; 0 for never, else at least 30s.
	 * @param keepManagedFields Whether cached objects keep metadata.managedFields.
	 */
	public record Informer(@DefaultValue("5m") Duration failureTimeout,
			@DefaultValue("false") boolean keepManagedFields) {

		private static final Duration SHORTEST_FAILURE = Duration.ofSeconds(30);

		public Informer {
			if (!failureTimeout.isZero() && failureTimeout.compareTo(SHORTEST_FAILURE) < 0) {
				throw new IllegalArgumentException("'sharding.informer.failure-timeout' must be 0 or at least 30s,"
						+ " as an API server that restarts is away for some time (is %s)".formatted(failureTimeout));
			}
		}

	}

	/**
	 * How caches answer reads that must be consistent.
	 *
	 * @param consistentReads Whether memory answers consistent reads; if false, each is a
	 * list by the API server. Unless set, memory answers where the versions of the API
	 * server can be compared.
	 * @param strategies How consistent lists come by, by resource, such as configmaps or
	 * leases.coordination.k8s.io; validated unless set.
	 * @param markerNamespace Namespace of the marker objects of barriers, where all
	 * namespaces are watched.
	 * @param checkPeriod How often the caches are compared with the API server; 0 for
	 * never.
	 * @param checkReads Which share of the reads that memory answers is compared with the
	 * API server, from 0 for none to 1; one at a time.
	 */
	public record Cache(@Nullable Boolean consistentReads, @DefaultValue Map<String, ReadStrategy> strategies,
			@DefaultValue("default") String markerNamespace, @Nullable Duration checkPeriod,
			@Nullable Double checkReads) {

		public Cache {
			if (markerNamespace.isBlank()) {
				throw new IllegalArgumentException("'sharding.cache.marker-namespace' must not be empty");
			}
			if (checkPeriod != null && checkPeriod.isNegative()) {
				throw new IllegalArgumentException(
						"'sharding.cache.check-period' must not be negative (is %s)".formatted(checkPeriod));
			}
			if (checkReads != null && !(checkReads >= 0 && checkReads <= 1)) {
				throw new IllegalArgumentException(
						"'sharding.cache.check-reads' must be from 0 to 1 (is %s)".formatted(checkReads));
			}
		}

		public ReadOptions options() {
			return new ReadOptions(this.consistentReads, this.strategies, this.markerNamespace,
					(this.checkPeriod != null) ? this.checkPeriod : ReadOptions.DEFAULTS.checkPeriod(),
					(this.checkReads != null) ? this.checkReads : ReadOptions.DEFAULTS.checkReads());
		}

	}

	/**
	 * How objects are reconciled.
	 *
	 * @param concurrency How many objects a controller reconciles at a time.
	 * @param minBackoff How long a failed object waits at first.
	 * @param maxBackoff How long a failed object waits at most.
	 * @param resyncPeriod How often every object is reconciled for no reason; 0 for
	 * never.
	 * @param stopTimeout How long to wait for running reconciles when the application
	 * stops; the Lease is released only if they have ended by then.
	 * @param takeOverCheck Whether the first reconcile of an object that came from
	 * another shard waits until the caches of its controlled resources hold what that one
	 * made.
	 */
	public record Reconcile(@DefaultValue("10") int concurrency, @DefaultValue("5ms") Duration minBackoff,
			@DefaultValue("1000s") Duration maxBackoff, @DefaultValue("10h") Duration resyncPeriod,
			@DefaultValue("15s") Duration stopTimeout, @DefaultValue("true") boolean takeOverCheck) {

		public Reconcile {
			if (concurrency < 1) {
				throw new IllegalArgumentException(
						"'sharding.reconcile.concurrency' must be positive (is %d)".formatted(concurrency));
			}
			if (minBackoff.isZero() || minBackoff.isNegative() || maxBackoff.compareTo(minBackoff) < 0) {
				throw new IllegalArgumentException(
						"'sharding.reconcile.min-backoff' must be positive and not above 'sharding.reconcile.max-backoff' (are %s and %s)"
							.formatted(minBackoff, maxBackoff));
			}
			if (resyncPeriod.isNegative() || stopTimeout.isNegative()) {
				throw new IllegalArgumentException(
						"'sharding.reconcile.resync-period' and 'sharding.reconcile.stop-timeout' must not be negative (are %s and %s)"
							.formatted(resyncPeriod, stopTimeout));
			}
		}

	}

	/**
	 * Which replica runs the controllers outside any ring, and is the leader for others.
	 *
	 * @param enabled Whether controllers outside any ring, and what else asks for the
	 * leader, run in the elected replica only; if false, they run in every replica.
	 * @param leaseName Name of the Lease that the replicas want, in the namespace of the
	 * shard's Lease; the name of the application with "-leader" unless set.
	 */
	public record LeaderElection(@DefaultValue("true") boolean enabled, @Nullable String leaseName) {
	}

}
