package dev.sharding.internal.sharder.http;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of listeners: two event loops, which never block, and workers for what may.
 * The webhook has a stack of its own, as what it is sent keeps event loops busy.
 */
public final class WebStack implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(WebStack.class);

	private static final int THREADS = 2;

	private static final long PATIENCE_SECONDS = 5;

	/* The first listener loads much, while much else starts. */
	private static final long START_PATIENCE_SECONDS = 30;

	private static final long BEAT_SECONDS = 5;

	private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(THREADS)
		.setWorkerPoolSize(1)
		.setInternalBlockingPoolSize(1)
		.setUseDaemonThread(true)
		// As good as never: what runs on the event loops does not block.
		.setBlockedThreadCheckInterval(TimeUnit.DAYS.toMillis(365))
		.setFileSystemOptions(
				new FileSystemOptions().setClassPathResolvingEnabled(false).setFileCachingEnabled(false)));

	/*
	 * A second listener at an address would share it with the first instead of failing.
	 */
	private final Set<String> taken = ConcurrentHashMap.newKeySet();

	/* When each event loop said last that it is there. */
	private final Map<EventExecutor, Long> beats = new ConcurrentHashMap<>();

	/** Creates a stack, whose threads start when they are needed. */
	public WebStack() {
		for (EventExecutor loop : this.vertx.nettyEventLoopGroup()) {
			this.beats.put(loop, System.nanoTime());
			loop.scheduleAtFixedRate(() -> this.beats.put(loop, System.nanoTime()), BEAT_SECONDS, BEAT_SECONDS,
					TimeUnit.SECONDS);
		}
	}

	/**
	 * Tells for how long one of the event loops has not moved.
	 * @return about five seconds at most, while they are well
	 */
	public Duration still() {
		long oldest = this.beats.values().stream().mapToLong((beat) -> System.nanoTime() - beat).max().orElse(0);
		return Duration.ofNanos(oldest);
	}

	/**
	 * Runs a task on an event loop later.
	 * @param delay how much later
	 * @param task the task, which must not block
	 */
	public void after(Duration delay, Runnable task) {
		this.vertx.setTimer(delay.toMillis(), (id) -> task.run());
	}

	/**
	 * Returns a client on the same event loops.
	 * @param options how it connects
	 * @return the client, which ends with the stack
	 */
	public HttpClient client(HttpClientOptions options) {
		return this.vertx.createHttpClient(options);
	}

	Vertx vertx() {
		return this.vertx;
	}

	/** Keeps an address for one listener, if no other one has it. */
	boolean take(ServerOptions options) {
		return options.port() == 0 || this.taken.add(options.bindAddress() + ":" + options.port());
	}

	void release(ServerOptions options) {
		this.taken.remove(options.bindAddress() + ":" + options.port());
	}

	/**
	 * Returns workers for what may block. They are threads of their own, so that one
	 * listener does not wait for what another one does.
	 * @param name what they are called
	 * @return the workers
	 */
	public WorkerExecutor workers(String name) {
		return this.vertx.createSharedWorkerExecutor("sharder-" + name, THREADS);
	}

	static <T> T await(Future<T> future) throws ExecutionException, TimeoutException {
		return await(future, PATIENCE_SECONDS);
	}

	static <T> T awaitStart(Future<T> future) throws ExecutionException, TimeoutException {
		return await(future, START_PATIENCE_SECONDS);
	}

	private static <T> T await(Future<T> future, long seconds) throws ExecutionException, TimeoutException {
		try {
			return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new TimeoutException("interrupted");
		}
	}

	@Override
	public void close() {
		try {
			await(this.vertx.close());
		}
		catch (ExecutionException | TimeoutException ex) {
			log.warn("Failed to stop the web stack: {}", ex.toString());
		}
	}

}
