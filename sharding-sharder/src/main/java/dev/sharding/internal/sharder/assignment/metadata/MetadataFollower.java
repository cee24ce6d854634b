package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Event;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the objects of one resource that a label selector matches, on a thread of its
 * own, and keeps none of them: has them listed, and tells what a watch brings from there
 * on. A watch that ends goes on where it was; if that cannot be, they are listed again.
 */
final class MetadataFollower implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(MetadataFollower.class);

	private static final Duration ANSWER = Duration.ofSeconds(30);

	/* A bookmark comes every minute, unless nothing at all happens. */
	private static final Duration SILENCE = Duration.ofSeconds(150);

	private static final Duration FIRST_RETRY = Duration.ofMillis(800);

	private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

	/* A watch that lasted this long did not fail, whatever ended it. */
	private static final long LIVED_NANOS = Duration.ofSeconds(1).toNanos();

	private static final int GONE = 410;

	private static final int TOO_MANY_REQUESTS = 429;

	private static final int SERVER_ERROR = 500;

	private final RingConnection connection;

	private final RingScope scope;

	private final ShardedResource resource;

	private final String labelSelector;

	private final ObjectReader reader;

	private final Listener listener;

	/* How long to wait after so many failures in a row. */
	private final IntFunction<Duration> pauses;

	private final Thread thread;

	private final CountDownLatch closing = new CountDownLatch(1);

	private volatile @Nullable MetadataWatch open;

	// What follows belongs to the thread.

	private @Nullable String version;

	private int failures;

	private int silences;

	/* Since a watch lived: so that lists that do not help are no tight loop. */
	private boolean expired;

	private long failingSince;

	/* The present watch, unless there is none yet. */
	private @Nullable Long openedAt;

	MetadataFollower(RingConnection connection, RingScope scope, ShardedResource resource, String labelSelector,
			Listener listener) {
		this(connection, scope, resource, labelSelector, listener, MetadataFollower::pauseAfter);
	}

	MetadataFollower(RingConnection connection, RingScope scope, ShardedResource resource, String labelSelector,
			Listener listener, IntFunction<Duration> pauses) {
		this.connection = connection;
		this.scope = scope;
		this.resource = resource;
		this.labelSelector = labelSelector;
		this.reader = new ObjectReader(scope.ring());
		this.listener = listener;
		this.pauses = pauses;
		this.thread = new Thread(this::run, "sharder-watch-%s-%s".formatted(scope.ring(), resource));
		this.thread.setDaemon(true);
	}

	void start() {
		this.thread.start();
	}

	@Override
	public synchronized void close() {
		this.closing.countDown();
		MetadataWatch current = this.open;
		if (current != null) {
			current.close();
		}
		this.thread.interrupt();
	}

	private void run() {
		Duration pause = Duration.ZERO;
		while (!isClosedWithin(pause)) {
			this.openedAt = null;
			try {
				pause = step();
			}
			catch (InterruptedException ex) {
				pause = Duration.ZERO;
			}
			catch (RuntimeException | Error ex) {
				log.error("Watch failed unexpectedly and lists anew ring={} resource={}", this.scope.ring(),
						this.resource, ex);
				this.version = null;
				pause = failed(String.valueOf(ex.getMessage()), null);
			}
		}
	}

	private boolean isClosedWithin(Duration pause) {
		try {
			return this.closing.await(pause.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			return isClosed();
		}
	}

	/** One watch, from its request to its end. Returns how long to pause then. */
	private Duration step() throws InterruptedException {
		try {
			String from = this.version;
			if (from == null) {
				from = await(this.listener.list());
				this.version = from;
			}
			watch(from);
			return ended();
		}
		catch (ApiException ex) {
			if (isClosed()) {
				return Duration.ZERO;
			}
			if (ex.status() == GONE) {
				this.version = null;
				if (this.expired) {
					return ended();
				}
				// Whoever answers is there: what failed before is over.
				this.expired = true;
				this.failures = 0;
				return Duration.ZERO;
			}
			if (ex.reason().equals(ApiStream.SILENT)) {
				// The API server may have gone back to an earlier version.
				this.version = (++this.silences > 1) ? null : this.version;
				return Duration.ZERO;
			}
			if (ex.isAnswered() && ex.status() < SERVER_ERROR && ex.status() != TOO_MANY_REQUESTS) {
				this.version = null;
			}
			return hasLived() ? ended() : failed(String.valueOf(ex.getMessage()), ex.retryAfter());
		}
	}

	/* It is no failure, but what ends at once again and again is no tight loop either. */
	private Duration ended() {
		if (hasLived()) {
			this.failures = 0;
			this.expired = false;
			return Duration.ZERO;
		}
		return (this.failures++ == 0) ? Duration.ZERO : pause();
	}

	private boolean hasLived() {
		Long since = this.openedAt;
		return since != null && this.connection.nanoTime().getAsLong() - since >= LIVED_NANOS;
	}

	private Duration failed(String message, @Nullable Duration asked) {
		long now = this.connection.nanoTime().getAsLong();
		if (this.failures++ == 0) {
			this.failingSince = now;
		}
		this.listener.fails(message, Duration.ofNanos(now - this.failingSince));
		Duration pause = pause();
		return (asked != null && asked.compareTo(pause) > 0) ? asked : pause;
	}

	private Duration pause() {
		return this.pauses.apply(this.failures);
	}

	private static Duration pauseAfter(int failures) {
		long most = Math.min(LONGEST_RETRY.toMillis(), FIRST_RETRY.toMillis() << Math.min(failures - 1, 10));
		return Duration.ofMillis(most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
	}

	private boolean isClosed() {
		return this.closing.getCount() == 0;
	}

	private void watch(String from) throws InterruptedException {
		ApiRequest request = ApiRequest.of("GET", this.resource.type().path(null, null))
			.query("watch", "1")
			.query("allowWatchBookmarks", "true")
			.query("timeoutSeconds", Long.toString(ThreadLocalRandom.current().nextLong(300, 600)))
			.query("labelSelector", this.labelSelector)
			.query("fieldSelector", this.scope.fieldSelector(this.resource))
			.query("resourceVersion", from)
			.accept(MediaTypes.METADATA)
			.timeout(ANSWER);
		CompletableFuture<MetadataWatch> opening = MetadataWatch.open(this.connection.requests(), request,
				this.connection.serialization(), this.reader.labels());
		try (MetadataWatch opened = await(opening)) {
			this.open = opened;
			if (isClosed()) {
				return;
			}
			this.openedAt = this.connection.nanoTime().getAsLong();
			this.listener.works();
			Event event = opened.next(SILENCE);
			while (event != null) {
				this.silences = 0;
				if (event.object().resourceVersion().isEmpty()) {
					throw new IllegalArgumentException("Watch told of an object without a version");
				}
				this.listener.told(event);
				this.version = event.object().resourceVersion();
				event = opened.next(SILENCE);
			}
		}
		finally {
			this.open = null;
			// It may have come just when this thread was told to stop.
			opening.thenAccept(MetadataWatch::close);
		}
	}

	static <R> R await(CompletableFuture<R> future) throws InterruptedException {
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			throw ApiException.of(ex);
		}
		catch (InterruptedException ex) {
			future.cancel(true);
			throw ex;
		}
	}

	/**
	 * Lists, and gets what is told, on the thread.
	 */
	interface Listener {

		/**
		 * Begins to list what matches.
		 * @return the version to watch from, when that may begin; fails if that cannot be
		 * had
		 */
		CompletableFuture<String> list();

		/**
		 * Something happened. The next event is not read before this returns.
		 * @param event has a version
		 */
		void told(Event event) throws InterruptedException;

		/** A watch is open. */
		void works();

		/**
		 * Neither the list nor the watch could be had once more.
		 * @param reason why
		 * @param since how long this has been so
		 */
		void fails(String reason, Duration since);

	}

}
