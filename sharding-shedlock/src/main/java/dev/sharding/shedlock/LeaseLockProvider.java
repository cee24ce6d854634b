package dev.sharding.shedlock;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.client.KubernetesClient;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseClock;

/**
 * Locks of ShedLock that are Leases. A lock that was not unlocked is got by another
 * process only when that process has itself seen the Lease unchanged for
 * {@code lockAtMostFor}, in whole seconds, on its monotonic clock: so clocks that are off
 * by less than a day let no two hold a lock. It begins to look with its first try that
 * meets the lock; one that ended a day ago by the wall clock it gets at once. What a task
 * does after {@code lockAtMostFor} ShedLock does not prevent; {@link #requireHeld} does,
 * where it is asked before each write. Where {@code lockAtLeastFor} outlasts the task, it
 * goes by the wall clocks, as triggers do. Needs the rights get, create and update on
 * Leases. Safe for use by many threads.
 */
public final class LeaseLockProvider implements ExtensibleLockProvider, AutoCloseable {

	private final KubernetesClient client;

	private final LockLeases leases;

	private final String scope;

	private final LockOwner owner;

	private final LeaseClock clock;

	private final Map<String, LeaseLock> locks = new ConcurrentHashMap<>();

	/**
	 * Creates a provider.
	 * @param client tells where the API server is and who is asking; the provider makes a
	 * client of its own, which gives up after five seconds
	 * @param namespace the namespace of the Leases
	 * @param scope those share locks whose scope is the same; with the name of the lock
	 * it makes that of its Lease
	 * @param host names this process for people, as the holder of a Lease
	 */
	public LeaseLockProvider(KubernetesClient client, String namespace, String scope, String host) {
		this(LeaseClients.create(client, RenewalTimings.DEFAULTS), namespace, scope, host, LeaseClock.SYSTEM);
	}

	LeaseLockProvider(KubernetesClient own, String namespace, String scope, String host, LeaseClock clock) {
		this.client = own;
		this.leases = new LockLeases(own, namespace);
		this.scope = scope;
		this.owner = new LockOwner(host);
		this.clock = clock;
	}

	/**
	 * Tries to lock, once.
	 * @param configuration what to lock, and for how long
	 * @return the lock, empty if somebody holds it or may still act on it
	 * @throws net.javacrumbs.shedlock.support.LockException if the API server does not
	 * answer, or refuses, or the Lease of that name is none of this lock
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		return of(configuration.getName()).lock(configuration);
	}

	/**
	 * Passes if a write of who holds a lock may go out at this moment, to wherever it
	 * goes: if the lock was got here and lasts for longer than a write takes, which is
	 * two seconds, or 2/15 of {@code lockAtMostFor} where that is below 15 s. A thread
	 * that got the lock asks about what it got until that is unlocked, by whichever
	 * thread: not about a lock that another thread of this process has got since that one
	 * was over.
	 * @param lock the name of the lock
	 * @throws LockNotHeldException if it may not
	 */
	public void requireHeld(String lock) {
		if (!of(lock).allowsWrite()) {
			throw new LockNotHeldException(
					"The lock '%s' is not held by this process, or cannot be proved any more".formatted(lock));
		}
	}

	/** Ends the connections. Locks that are held run out by themselves. */
	@Override
	public void close() {
		this.client.close();
	}

	private LeaseLock of(String lock) {
		return this.locks.computeIfAbsent(lock, (name) -> new LeaseLock(LockNames.of(this.scope, name),
				LockNames.label(this.scope, name), this.owner, this.leases, this.clock));
	}

}
