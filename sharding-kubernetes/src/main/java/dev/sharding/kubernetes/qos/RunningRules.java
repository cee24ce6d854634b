package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one set of rules, made when they are first needed. A set that was
 * replaced keeps the turns that it gave. A limit that is the same in both sets goes on as
 * it is; one that has changed goes on from what the old one gave, so that no change gives
 * anybody a new burst. A group that is idle goes: a fresh one would do the same.
 */
final class RunningRules {

	/* More groups than this share one limit, so that callers cannot fill the memory. */
	private static final int GROUPS = 1_000;

	/* Idle groups are looked for this often, and more often when there is no room. */
	private static final long SWEEP_NANOS = 60_000_000_000L;

	private static final long SWEEP_WHEN_FULL_NANOS = 10_000_000L;

	private final QosRules rules;

	private final int shards;

	private final QosPieces pieces;

	private final LongSupplier nanoTime;

	private final Map<String, Limit> limits = new ConcurrentHashMap<>();

	private final Map<Key, Group> groups = new ConcurrentHashMap<>();

	/* Guarded by this. */
	private long sweptAt;

	/* Guarded by this: whether another set is in force. */
	private boolean replaced;

	RunningRules(QosRules rules, int shards, QosPieces pieces, LongSupplier nanoTime) {
		this.rules = rules;
		this.shards = shards;
		this.pieces = pieces;
		this.nanoTime = nanoTime;
		this.sweptAt = nanoTime.getAsLong();
	}

	QosRules rules() {
		return this.rules;
	}

	int shards() {
		return this.shards;
	}

	/** Returns the set that follows. From then on this one makes no limits. */
	synchronized RunningRules next(QosRules changed, int shardsNow) {
		RunningRules next = new RunningRules(changed, shardsNow, this.pieces, this.nanoTime);
		changed.rules().forEach(next::limitOf);
		this.replaced = true;
		this.groups.forEach((key, group) -> {
			Limit limit = next.limits.get(key.rule);
			if (limit == null) {
				group.close();
				return;
			}
			Key follower = new Key(key.rule, key.group, limit);
			next.groups.put(follower,
					key.limit.equals(limit) ? group : group.follow((before) -> next.create(follower, before)));
		});
		return next;
	}

	/**
	 * Returns the limit of a group; {@code null} if another set is in force by now. A
	 * group that is closed meanwhile is not found the next time.
	 */
	@Nullable Group group(QosRule rule, String name) {
		Key key = new Key(rule.name(), name, limitOf(rule));
		Group known = this.groups.get(key);
		return (known != null) ? known : open(key);
	}

	private synchronized @Nullable Group open(Key key) {
		if (this.replaced) {
			return null;
		}
		sweep();
		Key possible = (this.groups.size() < GROUPS) ? key : new Key(key.rule, "", key.limit);
		return this.groups.computeIfAbsent(possible, (wanted) -> new Group(create(wanted, null), null));
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

	private Limit limitOf(QosRule rule) {
		Limit known = this.limits.get(rule.name());
		return (known != null) ? known
				: this.limits.computeIfAbsent(rule.name(),
						(name) -> new Limit(this.pieces.limits().limit(rule, this.rules.classOf(rule), this.shards),
								rule.longestWait()));
	}

	private Limiter create(Key key, @Nullable Limiter before) {
		// A rule's name has no colon, so no two limits have the same name.
		return this.pieces.aggregation()
			.limiter("qos-" + key.rule + (key.group.isEmpty() ? "" : ":" + key.group), key.limit.qosClass,
					key.limit.longestWait, before);
	}

	/** What makes two limits the same. */
	private record Limit(QosClass qosClass, Duration longestWait) {
	}

	private record Key(String rule, String group, Limit limit) {
	}

}
