package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.qos.RingShare;
import dev.sharding.internal.kubernetes.qos.limit.QosPieces;
import dev.sharding.qos.spi.Limiter;
import dev.sharding.qos.spi.QosClass;
import dev.sharding.qos.spi.QosRule;
import dev.sharding.qos.spi.QosRules;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one set of rules, made when they are first needed. A set that was
 * replaced keeps the turns that it gave. A limit that is the same in both sets goes on as
 * it is; one that has changed goes on from what the old one gave, so that no change gives
 * anybody a new burst. Rules of a shared class have one limit. A group that is idle goes:
 * a fresh one would do the same.
 */
final class RunningRules {

	/* More groups than this share one limit, so that callers cannot fill the memory. */
	private static final int GROUPS = 1_000;

	/* Idle groups are looked for this often, and more often when there is no room. */
	private static final long SWEEP_NANOS = 60_000_000_000L;

	private static final long SWEEP_WHEN_FULL_NANOS = 10_000_000L;

	private final QosRules rules;

	/* By ring; those that are missing are not known. */
	private final Map<String, Integer> parts;

	private final QosPieces pieces;

	private final LongSupplier nanoTime;

	private final Map<String, Limit> limits = new ConcurrentHashMap<>();

	private final Map<Key, Group> groups = new ConcurrentHashMap<>();

	/* Guarded by this. */
	private long sweptAt;

	/* Guarded by this: whether another set is in force. */
	private boolean replaced;

	RunningRules(QosRules rules, Map<String, Integer> parts, QosPieces pieces, LongSupplier nanoTime) {
		this.rules = rules;
		this.parts = Map.copyOf(parts);
		this.pieces = pieces;
		this.nanoTime = nanoTime;
		this.sweptAt = nanoTime.getAsLong();
	}

	QosRules rules() {
		return this.rules;
	}

	Map<String, Integer> parts() {
		return this.parts;
	}

	/** Returns the set that follows. From then on this one makes no limits. */
	synchronized RunningRules next(QosRules changed, Map<String, Integer> partsNow) {
		RunningRules next = new RunningRules(changed, partsNow, this.pieces, this.nanoTime);
		changed.rules().forEach(next::limitOf);
		this.replaced = true;
		this.groups.forEach((key, group) -> {
			Limit limit = next.limits.get(key.owner);
			if (limit == null) {
				group.close();
				return;
			}
			Key follower = new Key(key.owner, key.group, limit);
			next.groups.put(follower, key.limit.equals(limit) ? group
					: group.follow((before) -> next.create(follower, before, grown(key, follower, changed))));
		});
		return next;
	}

	/*
	 * A rule that somebody changed gives what it says at once, a larger share does not.
	 */
	private long grown(Key before, Key after, QosRules changed) {
		return (changed == this.rules) ? RingShare.growth(before.limit.qosClass, after.limit.qosClass) : 0;
	}

	/** Whether another set is in force, or should be. */
	synchronized boolean isReplaced() {
		return this.replaced;
	}

	/**
	 * Returns the limit of a group; {@code null} if another set is in force by now. A
	 * group that is closed meanwhile is not found the next time.
	 */
	@Nullable Group group(QosRule rule, String name) {
		Key key = new Key(owner(rule), name, limitOf(rule));
		Group known = this.groups.get(key);
		return (known != null) ? known : open(key);
	}

	private synchronized @Nullable Group open(Key key) {
		if (this.replaced) {
			return null;
		}
		sweep();
		Key possible = (this.groups.size() < GROUPS) ? key : new Key(key.owner, "", key.limit);
		return this.groups.computeIfAbsent(possible, (wanted) -> new Group(create(wanted, null, 0), null));
	}

	/*
	 * That of a whole rule stays: there are few, and people look for them in registries.
	 */
	private void sweep() {
		long now = this.nanoTime.getAsLong();
		if (now - this.sweptAt >= ((this.groups.size() < GROUPS) ? SWEEP_NANOS : SWEEP_WHEN_FULL_NANOS)) {
			this.sweptAt = now;
			this.groups.entrySet().removeIf((one) -> !one.getKey().group.isEmpty() && one.getValue().closeIfIdle());
		}
	}

	/** Returns how many limits there are. */
	int size() {
		return this.groups.size();
	}

	/*
	 * Of rules that share a limit the first one is asked for, whichever needs it first.
	 */
	private Limit limitOf(QosRule rule) {
		String owner = owner(rule);
		Limit known = this.limits.get(owner);
		return (known != null) ? known : this.limits.computeIfAbsent(owner, (name) -> {
			QosRule first = this.rules.sharing(rule).get(0);
			return new Limit(this.pieces.limits()
				.limit(first, this.rules.classOf(first), this.parts.getOrDefault(first.ring(), RingShare.UNKNOWN)),
					first.longestWait());
		});
	}

	/*
	 * No rule's name is empty or has a colon, and no shared class's: none is another's.
	 */
	private String owner(QosRule rule) {
		return this.rules.shared().contains(rule.qosClass()) ? ":" + rule.qosClass() : "-" + rule.name();
	}

	private Limiter create(Key key, @Nullable Limiter before, long withheld) {
		Limiter made = this.pieces.aggregation()
			.limiter("qos" + key.owner + (key.group.isEmpty() ? "" : ":" + key.group), key.limit.qosClass,
					key.limit.longestWait, before);
		made.withhold(withheld);
		return made;
	}

	/** What makes two limits the same. */
	private record Limit(QosClass qosClass, Duration longestWait) {
	}

	private record Key(String owner, String group, Limit limit) {
	}

}
