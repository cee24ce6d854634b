package dev.sharding.internal.sharder.app.management;

import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.sharding.internal.sharder.watch.EventLoop;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Down while a thread on which a part of the sharder lives does not move: whatever it
 * waits for, a restart ends that. A part of the liveness.
 */
final class LoopsHealthIndicator implements HealthIndicator {

	/*
	 * Nothing on these threads waits for a request. Far above a garbage collection or a
	 * CPU limit that throttles.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String WEB = "web";

	private final Supplier<Duration> web;

	private final Duration patience;

	/**
	 * Creates an indicator.
	 * @param web tells for how long an event loop of a web stack has not moved
	 * @param patience for how long a thread may not move
	 */
	LoopsHealthIndicator(Supplier<Duration> web, Duration patience) {
		this.web = web;
		this.patience = patience;
	}

	@Override
	public Health health() {
		Map<String, Object> still = EventLoop.stuck(this.patience)
			.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (entry) -> text(entry.getValue())));
		Duration quiet = this.web.get();
		if (quiet.compareTo(this.patience) >= 0) {
			still.put(WEB, text(quiet));
		}
		return (still.isEmpty() ? Health.up() : Health.down()).withDetails(still).build();
	}

	private static String text(Duration still) {
		return "does not move for " + still.toSeconds() + " s";
	}

}
