package dev.sharding.internal.sharder.memory;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Comparator;

import javax.management.ListenerNotFoundException;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import org.jspecify.annotations.Nullable;

/**
 * The part of the heap of this JVM where objects stay, whatever its collector calls it.
 * Of the pools of the heap only that one can tell of both its use and its use after a
 * collection. A collector without such a pool has no news, so all is well.
 */
final class TenuredHeap implements HeapWatch.Heap, AutoCloseable {

	private final @Nullable MemoryPoolMXBean pool = ManagementFactory.getMemoryPoolMXBeans()
		.stream()
		.filter((one) -> one.getType() == MemoryType.HEAP && one.isUsageThresholdSupported()
				&& one.isCollectionUsageThresholdSupported())
		.max(Comparator.comparingLong((one) -> one.getUsage().getMax()))
		.orElse(null);

	private @Nullable NotificationListener listener;

	@Override
	public long live() {
		MemoryUsage after = (this.pool != null) ? this.pool.getCollectionUsage() : null;
		return (after != null) ? after.getUsed() : 0;
	}

	@Override
	public long max() {
		return (this.pool != null) ? this.pool.getUsage().getMax() : 0;
	}

	/* Runtime tells less where a survivor space is always empty. */
	@Override
	public long bound() {
		HotSpotDiagnosticMXBean flags = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
		return (flags != null) ? Long.parseLong(flags.getVMOption("MaxHeapSize").getValue())
				: Runtime.getRuntime().maxMemory();
	}

	@Override
	public long pod() {
		return (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)
				? system.getTotalMemorySize() : bound();
	}

	@Override
	public void collect() {
		System.gc();
	}

	@Override
	public void onAbove(long bytes, Runnable left, Runnable filled) {
		MemoryPoolMXBean watched = this.pool;
		if (watched == null || bytes > max()) {
			return;
		}
		NotificationListener added = (notification, handback) -> {
			if (MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED.equals(notification.getType())) {
				left.run();
			}
			else if (MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED.equals(notification.getType())) {
				filled.run();
			}
		};
		emitter().addNotificationListener(added, null, null);
		this.listener = added;
		watched.setCollectionUsageThreshold(bytes);
		watched.setUsageThreshold(bytes);
		if (live() >= bytes) {
			// It tells only when that begins.
			left.run();
		}
	}

	@Override
	public void close() {
		try {
			if (this.listener != null) {
				emitter().removeNotificationListener(this.listener);
			}
		}
		catch (ListenerNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static NotificationEmitter emitter() {
		return (NotificationEmitter) ManagementFactory.getMemoryMXBean();
	}

}
