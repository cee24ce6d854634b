package dev.sharding.internal.sharder.assignment;

import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

import dev.sharding.internal.sharder.assignment.metadata.RingGauges;
import dev.sharding.internal.sharder.assignment.placement.AwayShards;
import dev.sharding.internal.sharder.assignment.placement.DrainPatience;
import dev.sharding.internal.sharder.assignment.placement.Drains;
import dev.sharding.internal.sharder.assignment.placement.Drains.Stuck;
import dev.sharding.internal.sharder.shardlease.ShardHolds;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports shards that do not let go of what they were asked for, and takes their Leases
 * when patience ends. Lives on the ring's thread.
 */
final class StuckDrains {

	private static final Logger log = LoggerFactory.getLogger(StuckDrains.class);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

	private final Drains drains;

	private final DrainLimiter pacer;

	private final DrainPatience patience;

	private final ShardHolds holds;

	private final RingGauges gauges;

	private final AwayShards away;

	private final EventLoop loop;

	private final Consumer<SortedMap<String, String>> reports;

	private final Set<String> forced = new HashSet<>();

	private SortedMap<String, String> reported = Collections.emptySortedMap();

	/**
	 * @param away the members that nobody holds: they cannot let go
	 * @param reports gets, after each change, what to say about each shard that is stuck
	 */
	StuckDrains(Drains drains, DrainLimiter pacer, DrainPatience patience, ShardHolds holds, RingGauges gauges,
			AwayShards away, EventLoop loop, Consumer<SortedMap<String, String>> reports) {
		this.drains = drains;
		this.pacer = pacer;
		this.patience = patience;
		this.holds = holds;
		this.gauges = gauges;
		this.away = away;
		this.loop = loop;
		this.reports = reports;
	}

	/** Looks now and again until the loop ends. */
	void look() {
		Map<String, Stuck> stuck = this.drains.stuck(this.patience.reportAfter());
		stuck.keySet().removeAll(this.away.names());
		this.gauges.stuck(stuck.values().stream().mapToInt(Stuck::objects).sum(), this.pacer.stuck());
		this.forced.retainAll(stuck.keySet());
		SortedMap<String, String> texts = new TreeMap<>();
		stuck.forEach((shard, what) -> {
			Duration limit = this.patience.forceAfter();
			if (!limit.isZero() && what.longest().compareTo(limit) >= 0) {
				this.forced.add(shard);
				this.holds.force(shard);
			}
			texts.put(shard, text(shard, what));
		});
		if (!texts.equals(this.reported)) {
			texts.forEach((shard, text) -> {
				if (!text.equals(this.reported.get(shard))) {
					log.warn("Shard {} {}", shard, text);
				}
			});
			this.reported = texts;
			this.reports.accept(texts);
		}
		this.loop.schedule(this::look, pause());
	}

	/* What begins only after a look is stuck no sooner than in the whole patience. */
	private Duration pause() {
		if (this.drains.live() == 0 && this.pacer.isIdle()) {
			return shorter(this.patience.reportAfter(), DrainWindow.STUCK);
		}
		return shorter(this.patience.reportAfter().dividedBy(2), LONGEST_PAUSE);
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	/* Nothing in it that changes all the time: each text is an Event. */
	private String text(String shard, Stuck what) {
		String text = "was asked more than %d s ago to let go of objects and has not done so, such as %s/%s"
			.formatted(this.patience.reportAfter().toSeconds(), what.example().namespace(), what.example().name());
		return this.forced.contains(shard) ? text + "; its Lease is taken, as that has taken more than %d s"
			.formatted(this.patience.forceAfter().toSeconds()) : text;
	}

}
