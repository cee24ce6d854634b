package dev.sharding.internal.sharder;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

/**
 * All versions of a Lease from when the history is opened, the one that is there at that
 * time included. Some are there for so short a time that a look now and then misses them.
 */
final class LeaseHistory implements Watcher<Lease>, AutoCloseable {

	private final List<Lease> versions = new CopyOnWriteArrayList<>();

	private final Watch watch;

	LeaseHistory(World world, String name) {
		this.watch = world.client.leases().inNamespace(world.namespace).withName(name).watch(this);
	}

	/** Those that were told of so far, in their order. */
	List<Lease> versions() {
		return List.copyOf(this.versions);
	}

	/** Whether nobody holds the Lease in that version. */
	static boolean isFree(Lease lease) {
		return Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "").isEmpty();
	}

	@Override
	public void eventReceived(Action action, Lease lease) {
		this.versions.add(lease);
	}

	@Override
	public void onClose(WatcherException cause) {
		// What is missing then, nobody finds.
	}

	@Override
	public void close() {
		this.watch.close();
	}

}
