package dev.sharding.internal.sharder.cli;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.core.key.ShardingKey;
import dev.sharding.internal.sharder.diagnosis.Finding;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw.Kind;
import dev.sharding.internal.sharder.diagnosis.ObjectLaw.Trouble;
import dev.sharding.internal.sharder.diagnosis.ObservedObject;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.shardlease.Membership;
import org.jspecify.annotations.Nullable;

/**
 * Looks for objects that nobody owns, that the wrong shard owns, or that are not let go
 * of. What is found at first may be on its way: only what stays so for a while is told.
 */
final class ObjectCheck {

	private static final int KEPT = 1000;

	private static final int NAMED = 5;

	private static final int MOST_OWNERS = 100_000;

	private final Cluster cluster;

	private final ControllerRing ring;

	private final String name;

	private final Duration patience;

	private final RingObjects objects;

	/* Who has the main objects that are in the wrong place. */
	private final Map<ShardingKey, String> owners = new LinkedHashMap<>();

	private final Map<String, Suspect> suspects = new LinkedHashMap<>();

	/* There were more of them. */
	private boolean forgotten;

	private int more;

	private int ended;

	ObjectCheck(Cluster cluster, ControllerRing ring, Duration patience) {
		this.cluster = cluster;
		this.ring = ring;
		this.name = ring.getMetadata().getName();
		this.patience = patience;
		this.objects = new RingObjects(cluster, ring);
	}

	List<Finding> findings() throws InterruptedException {
		Membership members = this.cluster.membership(this.name);
		if (members.hashRing().isEmpty()) {
			return List.of();
		}
		Look look = new Look(members.hashRing(), members.givenBack());
		Instant began = Instant.now();
		this.objects.all((object) -> first(object, look, began));
		boolean again = !this.suspects.isEmpty();
		while (again) {
			lookAgain();
			Instant now = Instant.now();
			again = this.suspects.values().stream().anyMatch((suspect) -> !isOverdue(suspect, now));
			if (again) {
				TimeUnit.SECONDS.sleep(1);
			}
		}
		return findings(Instant.now());
	}

	private void first(ObservedObject object, Look shards, Instant now) {
		remember(object, shards.ring);
		Trouble trouble = look(object, shards);
		if (trouble == null) {
			return;
		}
		if (this.suspects.size() < KEPT) {
			this.suspects.put(object.toString(), new Suspect(object, trouble, since(trouble, now)));
		}
		else {
			this.more++;
		}
	}

	private void remember(ObservedObject object, HashRing shards) {
		String owner = object.shard(this.name);
		ShardingKey key = object.key();
		if (object.role() == ResourceRole.MAIN && key != null && owner != null && shards.shards().contains(owner)
				&& !owner.equals(shards.shardFor(key))) {
			if (this.owners.size() < MOST_OWNERS) {
				this.owners.put(key, owner);
			}
			else {
				this.forgotten = true;
			}
		}
	}

	private @Nullable Trouble look(ObservedObject object, Look shards) {
		String ownerOfMain = null;
		if (object.role() == ResourceRole.CONTROLLED && object.key() != null) {
			ownerOfMain = this.owners.getOrDefault(object.key(), this.forgotten ? object.shard(this.name) : null);
		}
		return ObjectLaw.of(object, this.name, shards.ring, Cluster.isPaused(this.ring), shards.givenBack, ownerOfMain);
	}

	private void lookAgain() {
		Membership members = this.cluster.membership(this.name);
		Look shards = new Look(members.hashRing(), members.givenBack());
		Instant now = Instant.now();
		for (Suspect suspect : List.copyOf(this.suspects.values())) {
			ObservedObject object = suspect.object;
			ObservedObject found = this.objects.find(this.objects.resource(object.resource()), object.namespace(),
					object.name());
			Trouble trouble = (found != null) ? look(found, shards) : null;
			if (found == null || trouble == null) {
				this.suspects.remove(object.toString());
				this.ended++;
			}
			else if (!trouble.isSameAs(suspect.trouble)) {
				this.suspects.put(object.toString(), new Suspect(found, trouble, since(trouble, now)));
				this.ended++;
			}
		}
	}

	private static Instant since(Trouble trouble, Instant now) {
		return (trouble.since() != null) ? trouble.since() : now;
	}

	private boolean isOverdue(Suspect suspect, Instant now) {
		return Duration.between(suspect.since, now).compareTo(this.patience) >= 0;
	}

	private List<Finding> findings(Instant now) {
		Map<String, List<Suspect>> groups = new TreeMap<>();
		this.suspects.values()
			.forEach(
					(suspect) -> groups
						.computeIfAbsent(suspect.trouble.kind() + " " + suspect.object.resource() + " "
								+ suspect.trouble.owner(), (same) -> new ArrayList<>())
						.add(suspect));
		List<Finding> findings = new ArrayList<>();
		groups.values().forEach((group) -> findings.add(finding(group, now)));
		if (this.more > 0) {
			findings.add(Finding.note("objects", "ring",
					"%d more objects were not where they belong and were not looked at again".formatted(this.more)));
		}
		return findings;
	}

	private Finding finding(List<Suspect> group, Instant now) {
		Suspect first = group.get(0);
		StringBuilder subject = new StringBuilder(first.object.resource());
		group.stream().limit(NAMED).forEach((suspect) -> subject.append(' ').append(suspect.object.path()));
		if (group.size() > NAMED) {
			subject.append(" and ").append(group.size() - NAMED).append(" more");
		}
		String text = text(first, now);
		// Many drains take their turns: while some end, the others are not stuck.
		boolean moving = first.trouble.kind() == Kind.WRONG_OWNER && this.ended > 0;
		return moving ? Finding.note("objects", subject.toString(), text + "; moves are under way")
				: Finding.problem("objects", subject.toString(), text, remedy(first.trouble));
	}

	private static String text(Suspect suspect, Instant now) {
		String age = Output.age(suspect.since, now);
		Trouble trouble = suspect.trouble;
		return switch (trouble.kind()) {
			case NO_OWNER -> "without owner for %s; should be with %s".formatted(age, trouble.wanted());
			case OWNER_GONE -> "with %s, which is not available, for %s or longer; should be with %s"
				.formatted(trouble.owner(), age, trouble.wanted());
			case WRONG_OWNER -> "with %s for %s or longer, and not asked for; should be with %s"
				.formatted(trouble.owner(), age, trouble.wanted());
			case DRAINING -> "not let go of by %s, which was asked to %s ago; should be with %s"
				.formatted(trouble.owner(), age, trouble.wanted());
		};
	}

	private static String remedy(Trouble trouble) {
		return (trouble.kind() == Kind.DRAINING)
				? "Look for a reconcile that does not end in %s, or restart it".formatted(trouble.owner())
				: "Look at the conditions of the ring and at the log of the sharder";
	}

	private record Suspect(ObservedObject object, Trouble trouble, Instant since) {
	}

	/* By what an object is judged. */
	private record Look(HashRing ring, Set<String> givenBack) {
	}

}
