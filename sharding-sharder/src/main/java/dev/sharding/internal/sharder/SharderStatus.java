package dev.sharding.internal.sharder;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

import dev.sharding.internal.kubernetes.informer.InformerStatus;
import org.jspecify.annotations.Nullable;

/**
 * How a sharder fares.
 *
 * @param rings the watch of the ControllerRings
 * @param leases the watch of the shard Leases
 * @param problems the resources that are not served, with the reason, by the name of the
 * ring
 */
public record SharderStatus(InformerStatus rings, InformerStatus leases,
		SortedMap<String, SortedMap<String, String>> problems) {

	public SharderStatus {
		problems = Collections.unmodifiableSortedMap(new TreeMap<>(problems));
	}

	/**
	 * Says what keeps rings and Leases from being watched.
	 * @return {@code null} if nothing does
	 */
	@Nullable String trouble() {
		if (this.rings.failingSince() != null) {
			return "The watch of ControllerRings: " + this.rings.lastError();
		}
		return (this.leases.failingSince() != null) ? "The watch of Leases: " + this.leases.lastError() : null;
	}

	/**
	 * Tells whether rings and Leases are known and watched.
	 * @return {@code false} if the sharder cannot do its work
	 */
	public boolean isWorking() {
		return this.rings.synced() && this.rings.failingSince() == null && this.leases.synced()
				&& this.leases.failingSince() == null;
	}

}
