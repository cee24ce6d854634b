package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.informer.ReflectorStatus;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiStream;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one part of a store equal to its scope: lists, watches, and does so again after
 * every failure until it is closed. Runs on a thread of its own.
 *
 * @param <T> the class of the objects
 */
public final class Reflector<T extends HasMetadata> implements Runnable, Upstream {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	/** A watch that lasted this long did not fail, whatever ended it. */
	private static final long LIVED_NANOS = Duration.ofSeconds(1).toNanos();

	/** What no wake shortens, so that many readers do not make many requests. */
	private static final long LEAST_PAUSE_MILLIS = 1_000;

	/**
	 * How many objects are listed without pages, about 500 bytes each, a fraction of what
	 * they take in the store. For each page the API server goes over all objects.
	 */
	private static final int AT_ONCE = 1_000_000;

	private static final int SERVER_ERROR = 500;

	private static final Duration ASK_AGAIN = Duration.ofSeconds(1);

	/** Answers to a streamed list that mean "not here" rather than "not now". */
	private static final Set<Integer> NOT_HERE = Set.of(400, 405, 406, 415, 422);

	private final String name;

	private final ApiRequests api;

	private final ScopeRequests requests;

	private final Lister<T> lister;

	private final WatchReader<T> reader;

	private final StorePart<T> part;

	private final InformerTimings timings;

	private final Attempts attempts;

	private final ReflectorStatus status;

	private final RandomGenerator random;

	private final LongSupplier nanos;

	private final CountDownLatch closing = new CountDownLatch(1);

	/** Ends a pause. */
	private final Semaphore wake = new Semaphore(0);

	private volatile boolean closed;

	private volatile boolean relistRequested;

	/** Whether the API server said how long to pause. */
	private volatile boolean serverAsked;

	private volatile @Nullable ApiStream stream;

	/** Whether etcd may have been restored meanwhile, for all that is known. */
	private volatile boolean doubtful;

	// What follows belongs to the reflector's thread.

	private boolean relistNeeded = true;

	/** From the start of a list until the store has it, over failures in between. */
	private boolean relisting;

	private boolean streamsLists = true;

	private final ScopeTurns turns = new ScopeTurns();

	/** How far the present watch got. */
	private Stage stage = Stage.NONE;

	private boolean told;

	private long openedAt;

	public Reflector(String name, ApiRequests api, ApiRequests questions, KubernetesSerialization serialization,
			InformerSpec<T> spec, StorePart<T> part, ReflectorStatus status, RandomGenerator random,
			LongSupplier nanos) {
		this.name = name;
		this.api = api;
		this.requests = new ScopeRequests(spec, part.namespace());
		ObjectDecoder<T> decoder = new ObjectDecoder<>(serialization, spec.type(), spec.keepManagedFields())
			.trimming(spec.trim())
			.slimming();
		this.reader = new WatchReader<>(name, serialization, decoder, part);
		this.lister = new Lister<>(api, questions, this.requests);
		this.part = part;
		this.timings = spec.timings();
		this.attempts = new Attempts(spec.timings());
		this.status = status;
		this.random = random;
		this.nanos = nanos;
	}

	@Override
	public StorePart<T> part() {
		return this.part;
	}

	@Override
	public CompletableFuture<String> presentVersion() {
		return this.lister.presentVersion();
	}

	@Override
	public CompletableFuture<MetadataSnapshot> versions(@Nullable String notOlderThan, @Nullable LabelQuery query) {
		return (notOlderThan != null && this.part.held() <= AT_ONCE)
				? this.lister.versionsNotOlderThan(notOlderThan, query) : this.lister.versions(query);
	}

	@Override
	public ScopeTurns turns() {
		return this.turns;
	}

	/** Which objects there were at a version. */
	public CompletableFuture<MetadataSnapshot> versionsAt(String version) {
		return this.lister.versionsAt(version);
	}

	public ReflectorStatus status() {
		return this.status;
	}

	@Override
	public void reopen() {
		ApiStream current = this.stream;
		if (current != null) {
			current.close();
		}
		else {
			wake();
		}
	}

	@Override
	public void wake() {
		if (this.stream == null && !this.serverAsked) {
			this.wake.release();
		}
	}

	@Override
	public void relist() {
		this.relistRequested = true;
		// A list under way would begin anew and, if it is long, never end.
		if (!this.part.isRelisting()) {
			reopen();
		}
	}

	/** Ends the thread, which must be interrupted after this call. */
	public void close() {
		this.closed = true;
		this.closing.countDown();
		this.wake.release();
		reopen();
	}

	@Override
	public void run() {
		Duration pause = Duration.ZERO;
		while (!isClosedWithin(pause)) {
			pause = stepWhateverHappens();
		}
		this.status.closed();
	}

	/**
	 * Only closing ends this thread; an interrupt ends no more than the pause. So does a
	 * wake, after a while.
	 */
	private boolean isClosedWithin(Duration pause) {
		long millis = pause.toMillis();
		long least = Math.min(millis, (long) (LEAST_PAUSE_MILLIS * (0.5 + 0.5 * this.random.nextDouble())));
		try {
			if (!this.closing.await(least, TimeUnit.MILLISECONDS) && millis > least
					&& this.wake.tryAcquire(millis - least, TimeUnit.MILLISECONDS)) {
				logger.debug("Pause ended early: informer={}", this.name);
			}
		}
		catch (InterruptedException ex) {
			// The pause is over.
		}
		return this.closed;
	}

	private Duration stepWhateverHappens() {
		try {
			return step();
		}
		catch (InterruptedException ex) {
			return Duration.ZERO;
		}
		catch (Throwable ex) {
			this.relistNeeded = true;
			Duration pause = this.attempts.surprised(this.random.nextDouble());
			tell(ex);
			return pause;
		}
	}

	/** Out of memory, even to say so may fail. */
	private void tell(Throwable surprise) {
		try {
			this.status.failed(surprise);
			logger.error("Informer failed unexpectedly and lists anew: informer={}", this.name, surprise);
		}
		catch (Throwable ex) {
			surprise.addSuppressed(ex);
		}
	}

	/**
	 * One list or one watch, from its request to its end. Returns how long to pause then.
	 */
	private Duration step() throws InterruptedException {
		this.stage = Stage.NONE;
		this.told = false;
		ApiException cause = null;
		try {
			String version = this.part.watermark();
			if (this.relistRequested || this.relistNeeded || version == null) {
				list();
			}
			else {
				watch(this.requests.watch(version, watchSeconds()));
			}
		}
		catch (ApiException ex) {
			cause = ex;
		}
		finally {
			this.status.closed();
		}
		return this.closed ? Duration.ZERO : judge(cause);
	}

	private Duration judge(@Nullable ApiException cause) throws InterruptedException {
		double draw = this.random.nextDouble();
		this.serverAsked = cause != null && cause.retryAfter() != null;
		// What came while nobody paused was meant for a watch that has ended since.
		this.wake.drainPermits();
		boolean open = this.stage == Stage.OPEN;
		if (cause != null && (!cause.isAnswered() || cause.status() >= SERVER_ERROR)) {
			this.doubtful = true;
		}
		boolean lived = open && (this.told || this.nanos.getAsLong() - this.openedAt >= LIVED_NANOS);
		Attempts.Next next;
		if (cause == null && !open) {
			next = this.attempts.listed();
		}
		else if (cause == null || (open && !cause.isAnswered())) {
			logger.debug("Watch ended: informer={} reason=\"{}\"", this.name,
					(cause != null) ? cause.getMessage() : "end of stream");
			next = this.attempts.ended(lived, draw);
		}
		else if (open) {
			next = this.attempts.errored(lived, cause.status(), cause.retryAfter(), draw);
		}
		else {
			next = this.attempts.refused(cause.status(), cause.retryAfter(), draw);
		}
		if (cause != null && next.failing()) {
			this.status.failed(cause);
		}
		if (cause != null && next.relist() && !this.relistNeeded) {
			logger.info("Watch cannot continue, listing anew: informer={} reason=\"{}\"", this.name,
					cause.getMessage());
			this.relistNeeded = true;
		}
		return next.pause();
	}

	private void list() throws InterruptedException {
		// First, or a request that comes in between would be taken for granted.
		this.relistRequested = false;
		// Until it is done: whoever asked does not ask again when this one fails.
		this.relistNeeded = true;
		this.part.relistStarted();
		this.relisting = true;
		if (this.streamsLists) {
			try {
				watch(this.requests.watchList(watchSeconds()));
				return;
			}
			catch (ApiException ex) {
				if (!this.relisting || !isNotHere(ex)) {
					throw ex;
				}
				this.streamsLists = false;
				logger.info("API server does not stream lists, listing by pages from now on: informer={} reason=\"{}\"",
						this.name, ex.getMessage());
			}
		}
		this.stage = Stage.NONE;
		filled(this.lister.list(this.reader::add));
	}

	/**
	 * Whether a streamed list was refused, or answered by somebody who does not know of
	 * its end mark.
	 */
	private boolean isNotHere(ApiException cause) {
		return NOT_HERE.contains(cause.status())
				|| (this.stage == Stage.ANSWERED && cause.reason().equals(ApiStream.SILENT));
	}

	private void filled(ListResult<T> listed) {
		String before = this.part.watermark();
		if (ResourceVersions.compare(listed.version(), before) == Order.BEFORE) {
			logger.warn("API server went back in version, as after a restore of etcd: informer={} from={} to={}",
					this.name, before, listed.version());
		}
		this.part.replace(listed);
		this.doubtful = false;
		this.relistNeeded = false;
		this.relisting = false;
		this.status.listed(listed.objects().size());
	}

	private void watch(ApiRequest request) throws InterruptedException {
		CompletableFuture<ApiStream> opening = this.api.open(request);
		try (ApiStream opened = await(opening)) {
			this.stream = opened;
			this.stage = Stage.ANSWERED;
			if (this.closed || (this.relistRequested && !this.relisting)) {
				// Whoever asked found no stream to close.
				return;
			}
			if (this.relisting) {
				filled(this.reader.collect(opened, this.timings.answer()));
				this.attempts.listed();
				if (this.relistRequested) {
					return;
				}
			}
			this.stage = Stage.OPEN;
			this.openedAt = this.nanos.getAsLong();
			this.status.opened();
			if (this.doubtful) {
				this.doubtful = false;
				lookWhetherGoneBack(opened, this.part.watermark());
			}
			while (this.reader.store(opened, this.timings.silence())) {
				this.told = true;
			}
		}
		finally {
			this.stream = null;
			// It may have come just when this thread was told to stop.
			opening.thenAccept(ApiStream::close);
		}
	}

	/*
	 * A watch is opened at any version, also at one that is yet to come since etcd was
	 * restored, and then tells nothing until that has been reached by other writes.
	 */
	private void lookWhetherGoneBack(ApiStream watch, @Nullable String before) {
		presentVersion().whenComplete((present, failure) -> {
			if (failure != null) {
				logger.debug("Failed to ask for the present version: informer={} reason=\"{}\"", this.name,
						failure.getMessage());
				this.doubtful = true;
				ProtocolThreads.later(ASK_AGAIN, () -> {
					if (this.stream == watch) {
						lookWhetherGoneBack(watch, before);
					}
				});
			}
			else if (ResourceVersions.compare(present, before) == Order.BEFORE) {
				relist();
			}
		});
	}

	private long watchSeconds() {
		return this.timings.watchSeconds(this.random.nextDouble());
	}

	private static <R> R await(CompletableFuture<R> future) throws InterruptedException {
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

	private enum Stage {

		/** No answer yet. */
		NONE,

		/** The API server accepted the request. */
		ANSWERED,

		/** The scope is listed and events come. */
		OPEN

	}

}
