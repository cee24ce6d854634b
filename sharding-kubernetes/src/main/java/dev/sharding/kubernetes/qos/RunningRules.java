package dev.sharding.kubernetes.qos;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.sharding.core.qos.QosClass;
import dev.sharding.core.qos.QosRule;
import dev.sharding.core.qos.QosRules;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one set of rules, made when they are first needed. A set that was
 * replaced keeps the turns that it gave. A limit that is the same in both sets goes on as
 * it is; one that has changed goes on from what the old one gave, so that no change gives
 * anybody a new burst.
 */
final class RunningRules {

	/* More groups than this share one limit, so that callers cannot fill the memory. */
	private static final int GROUPS = 1_000;

	private final QosRules rules;

	private final int shards;

	private final QosPieces pieces;

	private final Map<Key, Limiter> limiters = new ConcurrentHashMap<>();

	RunningRules(QosRules rules, int shards, QosPieces pieces) {
		this.rules = rules;
		this.shards = shards;
		this.pieces = pieces;
	}

	QosRules rules() {
		return this.rules;
	}

	int shards() {
		return this.shards;
	}

	/** Returns the set that follows. */
	RunningRules next(QosRules changed, int shardsNow) {
		RunningRules next = new RunningRules(changed, shardsNow, this.pieces);
		Map<String, Limit> limits = new ConcurrentHashMap<>();
		changed.rules().forEach((rule) -> limits.put(rule.name(), next.limitOf(rule)));
		this.limiters.forEach((key, limiter) -> {
			Limit limit = limits.get(key.rule);
			if (key.limit.equals(limit)) {
				next.limiters.put(key, limiter);
				return;
			}
			limiter.retire();
			if (limit != null) {
				Key follower = new Key(key.rule, key.group, limit);
				next.limiters.put(follower, next.create(follower, limiter));
			}
		});
		return next;
	}

	Limiter limiter(QosRule rule, String group) {
		Limit limit = limitOf(rule);
		Key key = new Key(rule.name(), group, limit);
		Limiter known = this.limiters.get(key);
		if (known != null) {
			return known;
		}
		Key possible = (this.limiters.size() < GROUPS) ? key : new Key(rule.name(), "", limit);
		return this.limiters.computeIfAbsent(possible, (wanted) -> create(wanted, null));
	}

	private Limit limitOf(QosRule rule) {
		return new Limit(this.pieces.limits().limit(rule, this.rules.classOf(rule), this.shards), rule.longestWait());
	}

	private Limiter create(Key key, @Nullable Limiter before) {
		return this.pieces.aggregation()
			.limiter("qos-" + key.rule + (key.group.isEmpty() ? "" : "-" + key.group), key.limit.qosClass,
					key.limit.longestWait, before);
	}

	/** What makes two limits the same. */
	private record Limit(QosClass qosClass, Duration longestWait) {
	}

	private record Key(String rule, String group, Limit limit) {
	}

}
