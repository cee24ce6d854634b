package dev.sharding.internal.kubernetes.usercode;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happens, each one thing after the other on a thread of its own, so
 * that one that blocks or throws holds up neither who tells nor the others. A thread ends
 * when there is nothing to tell. Safe for use by many threads.
 *
 * @param <L> what hears
 */
public final class Listeners<L> implements AutoCloseable {

	/** What a listener may be behind with before it misses something. */
	static final int MOST = 10_000;

	private static final Logger logger = LoggerFactory.getLogger(Listeners.class);

	private static final long IDLE_SECONDS = 10;

	private final String what;

	private final UserCode userCode;

	private final List<Ear<L>> ears = new CopyOnWriteArrayList<>();

	/**
	 * Creates it without listeners.
	 * @param what what they hear of, in few words, such as {@code move listener}
	 * @param userCode notes how long they take
	 */
	public Listeners(String what, UserCode userCode) {
		this.what = what;
		this.userCode = userCode;
	}

	/**
	 * Adds a listener.
	 * @param listener hears what is told from now on
	 */
	public void add(L listener) {
		this.ears.add(new Ear<>(listener, thread(listener)));
	}

	/**
	 * Tells all listeners something. Returns at once.
	 * @param about the object that it is about, or what happened
	 * @param event tells one listener
	 */
	public void tell(@Nullable Object about, Consumer<L> event) {
		for (Ear<L> ear : this.ears) {
			try {
				ear.thread.execute(() -> call(ear.listener, about, event));
				ear.deaf = false;
			}
			catch (RejectedExecutionException ex) {
				missed(ear, about);
			}
		}
	}

	/** What was told before is still heard, nothing else. Waits for nobody. */
	@Override
	public void close() {
		this.ears.forEach((ear) -> ear.thread.shutdown());
	}

	private void call(L listener, @Nullable Object about, Consumer<L> event) {
		String name = listener.getClass().getName();
		try (UserCode.Call call = this.userCode.begin(name, this.what, about)) {
			event.accept(listener);
		}
		catch (Throwable ex) {
			UserCode.warn(logger, "Listener failed bean={} call=\"{}\" object={}", ex, name, this.what, about);
		}
	}

	private void missed(Ear<L> ear, @Nullable Object about) {
		if (ear.thread.isShutdown()) {
			logger.debug("Ignoring what happens after the stop object={}", about);
		}
		else if (!ear.deaf) {
			ear.deaf = true;
			logger.warn("Listener is too far behind and misses what happens bean={} call=\"{}\" object={} behind={}",
					ear.listener.getClass().getName(), this.what, about, MOST);
		}
	}

	private ThreadPoolExecutor thread(L listener) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MOST), (task) -> {
					Thread thread = new Thread(task, "sharding-" + this.what.replace(' ', '-'));
					thread.setDaemon(true);
					return thread;
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	private static final class Ear<L> {

		private final L listener;

		private final ThreadPoolExecutor thread;

		/** Whether it was said that it misses something. */
		private volatile boolean deaf;

		Ear(L listener, ThreadPoolExecutor thread) {
			this.listener = listener;
			this.thread = thread;
		}

	}

}
