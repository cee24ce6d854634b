package dev.sharding.judge;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Tells which shard a process was when. Each process is a user of its own, and it is the
 * shard whose Lease it wrote last as its holder: with slots, another name than its own,
 * and in the next term perhaps yet another. Before that it is nobody but its user. Who is
 * about to take a slot lists and watches already what that has.
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
			.forEach((event) -> {
				NavigableMap<Instant, String> own = leases.computeIfAbsent(event.user(), (user) -> new TreeMap<>());
				// Renewals are many, and other names few.
				if (own.isEmpty() || !own.lastEntry().getValue().equals(event.object().name())) {
					own.put(event.received(), event.object().name());
				}
			});
		List<AuditEvent> named = new ArrayList<>(events.size());
		for (AuditEvent event : events) {
			NavigableMap<Instant, String> own = leases.get(event.user());
			String name = (own != null) ? name(event, own) : null;
			named.add((name != null && !name.equals(event.shard())) ? event.bySlot(name) : event);
		}
		return named;
	}

	/** What shard it was, null if none yet. */
	private static @Nullable String name(AuditEvent event, NavigableMap<Instant, String> own) {
		Map.Entry<Instant, String> last = own.floorEntry(event.received());
		String name = (last != null) ? last.getValue() : null;
		Map.Entry<Instant, String> following = own.higherEntry(event.received());
		String next = (following != null) ? following.getValue() : null;
		return (next != null && event.listsOrWatches() && event.selector().endsWith("=" + next)) ? next : name;
	}

	/** A Lease that names itself as its holder is that of a shard. */
	private static boolean writesOwnLease(AuditEvent event) {
		Body lease = event.response();
		return event.shard() != null && event.onLease() && event.changesState() && lease != null
				&& lease.holder().equals(event.object().name());
	}

}
