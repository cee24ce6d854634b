package dev.sharding.judge;

import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How much there was that could have gone wrong: a run in which nothing happened proves
 * nothing.
 *
 * @param handOvers how often an object got another owner than the last
 * @param losses how often the Lease of a shard was taken from its holder, by the sharder
 * or by another process that goes on in its place
 * @param leaders how often another sharder led than before
 * @param relists how often a process of a shard listed or watched a resource again
 * @param updates how many states of main objects there were to serve
 * @param reads how many consistent reads were answered
 */
public record Exposure(int handOvers, int losses, int leaders, int relists, int updates, int reads) {

	/** What happened here and there. */
	public Exposure plus(Exposure other) {
		// All rings have one leader.
		return new Exposure(this.handOvers + other.handOvers, this.losses + other.losses,
				Math.max(this.leaders, other.leaders), this.relists + other.relists, this.updates + other.updates,
				this.reads + other.reads);
	}

	static Exposure of(RingUnderTest ring, List<AuditEvent> events, List<ReadRecord> reads, Instant since) {
		History history = History.of(events);
		Claims claims = new Claims(ring, history);
		int handOvers = 0;
		int updates = 0;
		for (ObjectRef object : history.objects()) {
			List<Claims.Claim> all = claims.of(object);
			for (int i = 1; i < all.size(); i++) {
				boolean another = !all.get(i).shard().equals(all.get(i - 1).shard());
				handOvers += (another && all.get(i).from().isAfter(since)) ? 1 : 0;
			}
			updates += ring.isMain(object) ? states(history.of(object), since) : 0;
		}
		return new Exposure(handOvers, losses(ring, history, since), new Leadership(history).begunAfter(since),
				relists(ring, events, since), updates, answered(ring, reads, since));
	}

	private static int answered(RingUnderTest ring, List<ReadRecord> reads, Instant since) {
		return (int) reads.stream()
			.filter((read) -> read.ring().equals(ring.name()) && read.answered() && read.end().isAfter(since))
			.count();
	}

	private static int states(List<Revision> revisions, Instant since) {
		Set<Map<String, String>> states = new HashSet<>();
		for (Revision revision : revisions) {
			Body body = revision.body();
			if (body != null && revision.received().isAfter(since)) {
				states.add(body.data());
			}
		}
		return states.size();
	}

	private static int losses(RingUnderTest ring, History history, Instant since) {
		ShardLeases leases = new ShardLeases(ring, history);
		int losses = 0;
		for (String shard : leases.shards()) {
			for (ObjectRef lease : leases.of(shard)) {
				Revision before = null;
				for (Revision revision : history.of(lease)) {
					boolean lost = before != null && before.isHeldBy(shard)
							&& (revision.isTakenFrom(shard, before) || isSucceeded(before, revision, shard));
					losses += (lost && revision.received().isAfter(since)) ? 1 : 0;
					before = revision;
				}
			}
		}
		return losses;
	}

	/** A slot, or a name, that its next process takes before the sharder does. */
	private static boolean isSucceeded(Revision before, Revision revision, String shard) {
		AuditEvent last = before.cause();
		AuditEvent next = revision.cause();
		return revision.isHeldBy(shard) && last.shard() != null && next.shard() != null
				&& !last.user().equals(next.user());
	}

	private static int relists(RingUnderTest ring, List<AuditEvent> events, Instant since) {
		Set<String> begun = new HashSet<>();
		int relists = 0;
		for (AuditEvent event : events) {
			boolean ofRing = ring.isMain(event.object()) || ring.isControlled(event.object());
			boolean byShard = event.shard() != null && event.listsOrWatches() && !event.reads();
			boolean own = byShard && event.selects(ring.shardLabel(), String.valueOf(event.shard()));
			if (own && ofRing) {
				boolean again = !begun.add(event.user() + " " + event.verb() + " " + event.object().resource());
				relists += (again && event.received().isAfter(since)) ? 1 : 0;
			}
		}
		return relists;
	}

}
