package dev.sharding.shard;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadFactory;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;

import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.lease.LeaseClock;

/**
 * What a group of controllers needs to know besides its controllers. Immutable; the
 * methods return changed copies.
 *
 * @param namespaces the namespaces to look at; empty for all
 * @param fieldManager who the API server notes as the writer of fields
 * @param giveUpAfter how long an informer of what is reconciled may fail before the group
 * stops reconciling and gives its Lease back, so that its objects do not fall into a
 * hole; zero for never
 * @param stopTimeout how long a stop waits for the reconciles that run
 * @param threads makes the threads of the workers
 * @param meters where to register meters
 * @param observations where to report each reconcile
 * @param clock the clocks
 * @param keepManagedFields whether cached objects keep {@code metadata.managedFields}
 * @param handOver what keeps two shards from acting on one object
 * @param reads how the caches answer consistent reads
 */
public record RuntimeOptions(Set<String> namespaces, String fieldManager, Duration giveUpAfter, Duration stopTimeout,
		ThreadFactory threads, MeterRegistry meters, ObservationRegistry observations, LeaseClock clock,
		boolean keepManagedFields, HandOverOptions handOver, ReadOptions reads) {

	/**
	 * All namespaces, give up after 5 min, stop within 30 s, platform threads, no meters.
	 */
	public static final RuntimeOptions DEFAULTS = new RuntimeOptions(Set.of(), "sharding", Duration.ofMinutes(5),
			Duration.ofSeconds(30), RuntimeOptions::daemon, new CompositeMeterRegistry(), ObservationRegistry.NOOP,
			LeaseClock.SYSTEM, false, HandOverOptions.DEFAULTS, ReadOptions.DEFAULTS);

	public RuntimeOptions {
		namespaces = Set.copyOf(namespaces);
		if (giveUpAfter.isNegative()) {
			throw new IllegalArgumentException("'giveUpAfter' must not be negative (is " + giveUpAfter + ")");
		}
		if (stopTimeout.isNegative()) {
			throw new IllegalArgumentException("'stopTimeout' must not be negative (is " + stopTimeout + ")");
		}
	}

	/**
	 * Other namespaces.
	 * @param names the namespaces; empty for all
	 * @return the options
	 */
	public RuntimeOptions withNamespaces(Set<String> names) {
		return new RuntimeOptions(names, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				this.meters, this.observations, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Another field manager.
	 * @param name its name, the same in all shards
	 * @return the options
	 */
	public RuntimeOptions withFieldManager(String name) {
		return new RuntimeOptions(this.namespaces, name, this.giveUpAfter, this.stopTimeout, this.threads, this.meters,
				this.observations, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Another patience with failing informers.
	 * @param patience how long one may fail; zero for ever
	 * @return the options
	 */
	public RuntimeOptions withGiveUpAfter(Duration patience) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, patience, this.stopTimeout, this.threads,
				this.meters, this.observations, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Another patience with running reconciles at a stop.
	 * @param patience how long to wait
	 * @return the options
	 */
	public RuntimeOptions withStopTimeout(Duration patience) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, patience, this.threads,
				this.meters, this.observations, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Other threads, for example virtual ones.
	 * @param factory makes the threads of the workers
	 * @return the options
	 */
	public RuntimeOptions withThreads(ThreadFactory factory) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, factory,
				this.meters, this.observations, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Another meter registry.
	 * @param registry the registry
	 * @return the options
	 */
	public RuntimeOptions withMeters(MeterRegistry registry) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				registry, this.observations, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Another observation registry.
	 * @param registry where to report each reconcile, see
	 * {@link dev.sharding.controller.ReconcileContext}
	 * @return the options
	 */
	public RuntimeOptions withObservations(ObservationRegistry registry) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				this.meters, registry, this.clock, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Other clocks.
	 * @param clocks the clocks
	 * @return the options
	 */
	public RuntimeOptions withClock(LeaseClock clocks) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				this.meters, this.observations, clocks, this.keepManagedFields, this.handOver, this.reads);
	}

	/**
	 * Whether cached objects keep {@code metadata.managedFields}, which are often larger
	 * than the rest.
	 * @param keep whether to keep them
	 * @return the options
	 */
	public RuntimeOptions withKeepManagedFields(boolean keep) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				this.meters, this.observations, this.clock, keep, this.handOver, this.reads);
	}

	/**
	 * Other safeguards of the hand-over.
	 * @param safeguards what keeps two shards from acting on one object
	 * @return the options
	 */
	public RuntimeOptions withHandOver(HandOverOptions safeguards) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				this.meters, this.observations, this.clock, this.keepManagedFields, safeguards, this.reads);
	}

	/**
	 * Other consistent reads.
	 * @param wanted how the caches answer them
	 * @return the options
	 */
	public RuntimeOptions withReads(ReadOptions wanted) {
		return new RuntimeOptions(this.namespaces, this.fieldManager, this.giveUpAfter, this.stopTimeout, this.threads,
				this.meters, this.observations, this.clock, this.keepManagedFields, this.handOver, wanted);
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		return thread;
	}

}
