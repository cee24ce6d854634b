package dev.sharding.internal.kubernetes.usercode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which code of the user runs, and since when. Of a call that lasts too long it
 * says once in the log where it is, and tells as long as it lasts in a meter and to
 * whoever asks. It ends no call. Safe for use by many threads.
 */
public final class UserCode implements AutoCloseable {

	/** How long a call may last before somebody is told. */
	public static final Duration LIMIT = Duration.ofSeconds(10);

	private static final Logger logger = LoggerFactory.getLogger(UserCode.class);

	private static final long ONE_SECOND = TimeUnit.SECONDS.toNanos(1);

	private final MeterRegistry meters;

	private final LongSupplier nanos;

	private final Set<Call> running = ConcurrentHashMap.newKeySet();

	/** Those that were told of. Only for the timer's thread. */
	private final Set<Call> told = new HashSet<>();

	/** Of each kind of call that was told of. Only for the timer's thread. */
	private final Map<Kind, TimeGauge> gauges = new HashMap<>();

	private final AtomicBoolean started = new AtomicBoolean();

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, (task) -> {
		Thread thread = new Thread(task, "sharding-user-code");
		thread.setDaemon(true);
		return thread;
	});

	/**
	 * Creates a watch without calls; it looks after them until it is closed.
	 * @param meters where to register meters
	 * @param nanos the monotonic clock
	 */
	public UserCode(MeterRegistry meters, LongSupplier nanos) {
		this.meters = meters;
		this.nanos = nanos;
		this.timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		this.timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
	}

	/** Begins to look after the calls, unless that has begun. Not after it was closed. */
	public void start() {
		if (this.started.compareAndSet(false, true)) {
			this.timer.execute(this::lookOn);
		}
	}

	/**
	 * Notes that the current thread begins to run code of the user.
	 * @param bean whose code it is
	 * @param what what it does, in few different words
	 * @param about the object that it is about, asked for its text only when it lasts too
	 * long, or {@code null}
	 * @return to be closed when that code has returned
	 */
	public Call begin(String bean, String what, @Nullable Object about) {
		Call call = new Call(this.running, new Kind(bean, what), about, this.nanos.getAsLong());
		this.running.add(call);
		return call;
	}

	/**
	 * The calls that last too long.
	 * @return the longest first
	 */
	public List<StuckCall> stuck() {
		long now = this.nanos.getAsLong();
		List<StuckCall> stuck = new ArrayList<>();
		for (Call call : this.running) {
			if (call.isStuck(now)) {
				stuck.add(call.describe(now));
			}
		}
		stuck.sort(Comparator.comparing(StuckCall::running).reversed());
		return stuck;
	}

	/**
	 * Runs what only measures or tells: whatever a registry or handler of the user throws
	 * there, what is measured goes on.
	 * @param measuring what to run
	 */
	public static void aside(Runnable measuring) {
		try {
			measuring.run();
		}
		catch (Throwable ex) {
			warn(logger, "Failed to measure or observe, going on: reason=\"{}\"", null, ex);
			logger.debug("Failed to measure or observe reason={}", ex.getClass().getName());
		}
	}

	/**
	 * Logs what code of the user threw. That may throw in turn when it is asked what it
	 * says; then the log shows its class.
	 * @param logger the log of whoever ran that code
	 * @param message has a placeholder for each of {@code arguments}
	 * @param failure shown with its stack, or {@code null} to show none
	 * @param arguments what the message is about; of a throwable its text is shown
	 */
	public static void warn(Logger logger, String message, @Nullable Throwable failure, @Nullable Object... arguments) {
		@Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
		all[arguments.length] = failure;
		try {
			logger.warn(message, all);
		}
		catch (Throwable ex) {
			all[arguments.length] = ((failure != null) ? failure : ex).getClass().getName();
			logger.warn(message + " reason={}", all);
		}
	}

	/**
	 * What a failure of the user's code says, which may fail in turn.
	 * @param failure what was thrown
	 * @return its text, or else its class
	 */
	public static String text(Throwable failure) {
		try {
			return failure.toString();
		}
		catch (Throwable ex) {
			return failure.getClass().getName();
		}
	}

	/** Looks no more. Calls that run are left alone. */
	@Override
	public void close() {
		if (this.started.getAndSet(true)) {
			this.timer.execute(() -> {
				this.gauges.values().forEach(this.meters::remove);
				this.timer.shutdown();
			});
		}
	}

	private void lookOn() {
		this.timer.schedule(this::lookOn, look(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Tells of calls that last too long, of each once, and of their end.
	 * @return for how many nanoseconds nothing is due: a call that has not begun yet
	 * lasts too long no sooner
	 */
	long look() {
		long pause = LIMIT.toNanos();
		try {
			this.told.retainAll(this.running);
			this.gauges.entrySet().removeIf((entry) -> {
				boolean over = this.told.stream().noneMatch((call) -> call.kind.equals(entry.getKey()));
				if (over) {
					this.meters.remove(entry.getValue());
				}
				return over;
			});
			long now = this.nanos.getAsLong();
			for (Call call : this.running) {
				if (!call.isStuck(now)) {
					pause = Math.min(pause, call.since + LIMIT.toNanos() - now);
				}
				else if (!this.told.contains(call)) {
					tell(call, call.describe(now));
				}
			}
			// What is told of may end at any time.
			return this.told.isEmpty() ? pause : Math.min(pause, ONE_SECOND);
		}
		catch (Throwable ex) {
			logger.warn("Failed to look after the code of the user, trying again: reason=\"{}\"", ex.toString());
			return ONE_SECOND;
		}
	}

	private void tell(Call call, StuckCall stuck) {
		Throwable where = new Throwable("This is where it is");
		where.setStackTrace(call.thread.getStackTrace());
		logger.warn("Code of the user does not return bean={} call=\"{}\" object={} seconds={}", stuck.bean(),
				stuck.call(), stuck.object(), stuck.running().toSeconds(), where);
		this.told.add(call);
		this.gauges.computeIfAbsent(call.kind, (kind) -> TimeGauge
			.builder("sharding.user.code.stuck", () -> longest(kind), TimeUnit.NANOSECONDS)
			.description("How long the oldest call of user code has been running, of those that last longer than 10 s")
			.tags("bean", kind.bean(), "call", kind.what())
			.register(this.meters));
	}

	private long longest(Kind kind) {
		long now = this.nanos.getAsLong();
		return this.running.stream()
			.filter((call) -> call.kind.equals(kind))
			.mapToLong((call) -> now - call.since)
			.max()
			.orElse(0);
	}

	/**
	 * A call that runs.
	 */
	public static final class Call implements AutoCloseable {

		private final Set<Call> running;

		private final Kind kind;

		private final @Nullable Object about;

		private final long since;

		private final Thread thread = Thread.currentThread();

		private Call(Set<Call> running, Kind kind, @Nullable Object about, long since) {
			this.running = running;
			this.kind = kind;
			this.about = about;
			this.since = since;
		}

		/** The call has returned. */
		@Override
		public void close() {
			this.running.remove(this);
		}

		private boolean isStuck(long now) {
			return now - this.since >= LIMIT.toNanos();
		}

		private StuckCall describe(long now) {
			return new StuckCall(this.kind.bean(), this.kind.what(), (this.about != null) ? this.about.toString() : "",
					Duration.ofNanos(now - this.since));
		}

	}

	/**
	 * Which code it is.
	 */
	private record Kind(String bean, String what) {
	}

}
