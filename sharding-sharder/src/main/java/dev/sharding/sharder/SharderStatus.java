package dev.sharding.sharder;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

import dev.sharding.kubernetes.informer.InformerStatus;

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
	 * Tells whether rings and Leases are known and watched.
	 * @return {@code false} if the sharder cannot do its work
	 */
	public boolean isWorking() {
		return this.rings.synced() && this.rings.failingSince() == null && this.leases.synced()
				&& this.leases.failingSince() == null;
	}

}
