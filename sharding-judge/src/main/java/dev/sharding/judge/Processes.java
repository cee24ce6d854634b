package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Tells which shard a process was when. Each process is a user of its own, and it is the
 * shard whose Lease it wrote last as its holder: with slots, another name than its own,
 * and in the next term perhaps yet another. Before that it is nobody but its user.
 */
final class Processes {

	private Processes() {
	}

	/** All requests; those of a process that had another Lease than its name say so. */
	static List<AuditEvent> named(List<AuditEvent> events) {
		Map<String, NavigableMap<Instant, String>> leases = new HashMap<>();
		events.stream()
			.filter(Processes::writesOwnLease)
			.sorted(Comparator.comparing(AuditEvent::received))
			.forEach((event) -> leases.computeIfAbsent(event.user(), (user) -> new TreeMap<>())
				.put(event.received(), event.object().name()));
		List<AuditEvent> named = new ArrayList<>(events.size());
		for (AuditEvent event : events) {
			NavigableMap<Instant, String> own = leases.get(event.user());
			Map.Entry<Instant, String> last = (own != null) ? own.floorEntry(event.received()) : null;
			boolean other = last != null && !last.getValue().equals(event.shard());
			named.add((last != null && other) ? event.bySlot(last.getValue()) : event);
		}
		return named;
	}

	/** A Lease that names itself as its holder is that of a shard. */
	private static boolean writesOwnLease(AuditEvent event) {
		Body lease = event.response();
		return event.shard() != null && event.onLease() && event.changesState() && lease != null
				&& lease.holder().equals(event.object().name());
	}

}
