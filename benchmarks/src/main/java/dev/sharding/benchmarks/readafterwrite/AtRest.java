package dev.sharding.benchmarks.readafterwrite;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.internal.core.overlay.ObservedEvent;
import dev.sharding.internal.core.overlay.Overlay;
import dev.sharding.internal.core.overlay.OverlayLimits;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.ConfigMap;

/**
 * What overlays keep after a rush of writes whose echoes have all come, beyond what they
 * had before.
 */
final class AtRest {

	private static final int OVERLAYS = 4_000;

	private static final int WRITES = 100;

	private static final int TRIES = 3;

	/** What is less per overlay than the smallest object is not the overlay's. */
	private static final int SMALLEST_OBJECT = 16;

	private AtRest() {
	}

	/*
	 * The heap knows only the sum of everything, so the least of some tries.
	 */
	static long bytesPerOverlay() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < TRIES && least > 0; i++) {
			least = Math.min(least, measure());
		}
		return least;
	}

	private static long measure() {
		List<ConfigMap> before = new ArrayList<>();
		List<ConfigMap> after = new ArrayList<>();
		for (int i = 0; i < WRITES; i++) {
			before.add(PutEcho.object("object-" + i, Integer.toString(10_000 + i)));
			after.add(PutEcho.object("object-" + i, Integer.toString(50_000 + i)));
		}
		List<Overlay<ObjectKey, ConfigMap>> overlays = new ArrayList<>();
		for (int i = 0; i < OVERLAYS; i++) {
			Overlay<ObjectKey, ConfigMap> overlay = new Overlay<>(PutEcho.ACCESS, OverlayLimits.defaults());
			overlay.bookmark("9999");
			overlays.add(overlay);
		}
		// Once for the classes that it loads.
		rush(new Overlay<>(PutEcho.ACCESS, OverlayLimits.defaults()), before, after);
		long empty = usedHeap();
		overlays.forEach((overlay) -> rush(overlay, before, after));
		long rested = usedHeap();
		for (Overlay<ObjectKey, ConfigMap> overlay : overlays) {
			if (!overlay.status(2).isEmpty()) {
				throw new IllegalStateException("Not at rest: " + overlay.status(2));
			}
		}
		long each = Math.max(0, rested - empty) / OVERLAYS;
		return each / SMALLEST_OBJECT * SMALLEST_OBJECT;
	}

	private static void rush(Overlay<ObjectKey, ConfigMap> overlay, List<ConfigMap> before, List<ConfigMap> after) {
		List<Long> writes = new ArrayList<>();
		for (int i = 0; i < WRITES; i++) {
			writes.add(overlay.sent(new OwnWrite.Update<>("writer", ObjectKey.of(before.get(i)),
					PutEcho.ACCESS.version(before.get(i)), OwnChange.unknown()), 1));
		}
		for (int i = 0; i < WRITES; i++) {
			overlay.returned(writes.get(i), after.get(i), 1);
		}
		for (int i = 0; i < WRITES; i++) {
			overlay.event(new ObservedEvent.Updated<>(before.get(i), after.get(i)), 1);
		}
		overlay.tick(2);
	}

	private static long usedHeap() {
		long used = Long.MAX_VALUE;
		for (int i = 0; i < 4; i++) {
			System.gc();
			used = Math.min(used, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return used;
	}

}
