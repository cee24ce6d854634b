package dev.sharding.internal.autoconfigure.ring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.OnStartupProblem;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;

/**
 * Looks whether the cluster is as the controllers of a ring need it: at the start of the
 * application, which ends if the mistake cannot heal by itself or if it was told to, and
 * then with growing pauses until all is well, and now and then after that, as somebody
 * may change or delete the ring.
 */
public final class RingWatch implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RingWatch.class);

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	/** How long after a look that found all well the next one comes. */
	public static final Duration PAUSE_WHILE_WELL = Duration.ofMinutes(2);

	private final RingCheck check;

	private final @Nullable RingDeclaration declaration;

	private final ClusterCheck cluster;

	private final OnStartupProblem onProblem;

	private final Duration pauseWhileWell;

	private volatile RingFinding finding = RingFinding.NONE;

	private volatile boolean declared;

	private volatile boolean schemasKnown;

	private @Nullable ScheduledExecutorService scheduler;

	/**
	 * Creates the watch.
	 * @param check looks at the ring
	 * @param declaration what the ring shall be, or {@code null} if others see to that
	 * @param cluster looks at everything else
	 * @param onProblem what to do about what may heal by itself
	 * @param pauseWhileWell how long after a look that found all well the next one comes
	 */
	public RingWatch(RingCheck check, @Nullable RingDeclaration declaration, ClusterCheck cluster,
			OnStartupProblem onProblem, Duration pauseWhileWell) {
		this.pauseWhileWell = pauseWhileWell;
		this.check = check;
		this.declaration = declaration;
		this.cluster = cluster;
		this.onProblem = onProblem;
		this.declared = declaration == null;
	}

	/**
	 * Looks for the first time.
	 * @param controllers the controllers of the ring
	 * @throws ShardingStartupException if the application must not start
	 */
	public void begin(List<ControllerSpec<?>> controllers) {
		look(controllers);
		if (this.finding.kind() == RingFinding.Kind.MISMATCH || this.onProblem == OnStartupProblem.FAIL) {
			this.finding.requireUsable();
		}
		if (this.onProblem == OnStartupProblem.FAIL) {
			this.cluster.requireUsable(controllers);
			this.schemasKnown = true;
		}
		else {
			warnOfOlderSchemas(controllers);
		}
		if (!isForbidden()) {
			ScheduledExecutorService created = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "sharding-ring-check");
				thread.setDaemon(true);
				return thread;
			});
			this.scheduler = created;
			lookLater(created, controllers, isWell() ? this.pauseWhileWell : FIRST_PAUSE);
		}
	}

	/** What the last look has shown. */
	public RingFinding finding() {
		return this.finding;
	}

	@Override
	public void close() {
		if (this.scheduler != null) {
			this.scheduler.shutdownNow();
		}
	}

	/* Once, and not while nobody answers: each question would wait in vain. */
	private void warnOfOlderSchemas(List<ControllerSpec<?>> controllers) {
		if (!this.schemasKnown && this.finding.kind() != RingFinding.Kind.UNREACHABLE) {
			this.schemasKnown = true;
			try {
				this.cluster.warnOfOlderSchemas(controllers);
			}
			catch (RuntimeException ex) {
				logger.warn("Failed to look at the schemas of custom resources", ex);
			}
		}
	}

	private boolean isWell() {
		return this.declared && this.finding.kind() == RingFinding.Kind.MATCHES;
	}

	private boolean isForbidden() {
		return this.declared && this.finding.kind() == RingFinding.Kind.FORBIDDEN;
	}

	private void lookLater(ScheduledExecutorService executor, List<ControllerSpec<?>> controllers, Duration pause) {
		logger.debug("Looking at the ring again later millis={}", pause.toMillis());
		try {
			executor.schedule(() -> {
				look(controllers);
				warnOfOlderSchemas(controllers);
				if (isForbidden()) {
					executor.shutdown();
				}
				else {
					lookLater(executor, controllers, next(pause));
				}
			}, pause.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			// Stopped meanwhile.
		}
	}

	private Duration next(Duration pause) {
		if (isWell()) {
			return this.pauseWhileWell;
		}
		// What was well until now is no reason to wait for long.
		Duration next = (pause.compareTo(LONGEST_PAUSE) > 0) ? FIRST_PAUSE : pause.multipliedBy(2);
		return (next.compareTo(LONGEST_PAUSE) < 0) ? next : LONGEST_PAUSE;
	}

	/* Others tell of the API server, and of rights that are gone. */
	private boolean tellsNothing(RingFinding found) {
		return found.equals(this.finding) || (found.kind() == RingFinding.Kind.UNREACHABLE && this.finding.isUsable())
				|| (found.kind() == RingFinding.Kind.FORBIDDEN && isWell());
	}

	private void look(List<ControllerSpec<?>> controllers) {
		try {
			RingFinding found = declare(controllers);
			if (found == null) {
				found = this.check.run(controllers);
			}
			if (tellsNothing(found)) {
				return;
			}
			if (found.kind() == RingFinding.Kind.MATCHES) {
				logger.info("ControllerRing lists the resources of all controllers ring={}", this.check.ring());
			}
			else {
				logger.warn("{}{}", found.message(), found.isUsable() ? "" : ". Waiting, and looking again");
			}
			this.finding = found;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			logger.error("Failed to look at ControllerRing {}", this.check.ring(), ex);
		}
	}

	/* What keeps the ring from being what it shall be, if anything does. */
	private @Nullable RingFinding declare(List<ControllerSpec<?>> controllers) throws InterruptedException {
		if (this.declaration == null || this.declared) {
			return null;
		}
		RingFinding problem = this.declaration.apply(controllers);
		this.declared = problem == null;
		return problem;
	}

}
