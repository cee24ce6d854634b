package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be set.
 *
 * @param ring Name of the ControllerRing that this application is a shard of.
 * @param shardName Name of this shard, unique in its ring; the host name unless set.
 * @param namespaces Namespaces whose objects are watched; all unless set.
 * @param lease The shard's Lease.
 * @param informer How resources are watched.
 * @param reconcile How objects are reconciled.
 * @param leaderElection Which replica runs the controllers outside any ring.
 */
@ConfigurationProperties("sharding")
record ShardingProperties(@Nullable String ring, @Nullable String shardName, @DefaultValue List<String> namespaces,
		@DefaultValue Lease lease, @DefaultValue Informer informer, @DefaultValue Reconcile reconcile,
		@DefaultValue LeaderElection leaderElection) {

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
	 * @param onLoss What to do when the Lease is lost.
	 */
	record Lease(@Nullable String namespace, @DefaultValue("15s") Duration duration, @Nullable Duration renewDeadline,
			@Nullable Duration retryPeriod, @DefaultValue("rejoin") OnLoss onLoss) {
	}

	/**
	 * How resources are watched.
	 *
	 * @param failureTimeout After how long without a list or watch the shard gives its
	 * objects away, by releasing its Lease until it can watch again; 0 for never.
	 * @param keepManagedFields Whether cached objects keep metadata.managedFields.
	 */
	record Informer(@DefaultValue("5m") Duration failureTimeout, @DefaultValue("false") boolean keepManagedFields) {

		Informer {
			if (failureTimeout.isNegative()) {
				throw new IllegalArgumentException(
						"'failureTimeout' must not be negative (is %s)".formatted(failureTimeout));
			}
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
	record Reconcile(@DefaultValue("10") int concurrency, @DefaultValue("5ms") Duration minBackoff,
			@DefaultValue("1000s") Duration maxBackoff, @DefaultValue("10h") Duration resyncPeriod,
			@DefaultValue("15s") Duration stopTimeout, @DefaultValue("true") boolean takeOverCheck) {

		Reconcile {
			if (concurrency < 1) {
				throw new IllegalArgumentException("'concurrency' must be positive (is %d)".formatted(concurrency));
			}
			if (minBackoff.isZero() || minBackoff.isNegative() || maxBackoff.compareTo(minBackoff) < 0) {
				throw new IllegalArgumentException(
						"'minBackoff' must be positive and not above 'maxBackoff' (is %s, 'maxBackoff' is %s)"
							.formatted(minBackoff, maxBackoff));
			}
			if (resyncPeriod.isNegative() || stopTimeout.isNegative()) {
				throw new IllegalArgumentException(
						"'resyncPeriod' and 'stopTimeout' must not be negative (are %s and %s)".formatted(resyncPeriod,
								stopTimeout));
			}
		}

	}

	/**
	 * Which replica runs the controllers outside any ring.
	 *
	 * @param enabled Whether only the elected replica runs them; otherwise all do.
	 * @param leaseName Name of the Lease that the replicas want, in the namespace of the
	 * shard's Lease; the name of the application with "-leader" unless set.
	 */
	record LeaderElection(@DefaultValue("true") boolean enabled, @Nullable String leaseName) {
	}

}
