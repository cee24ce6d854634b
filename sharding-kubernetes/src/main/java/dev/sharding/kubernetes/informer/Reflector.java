package dev.sharding.kubernetes.informer;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import dev.sharding.core.version.ResourceVersions;
import dev.sharding.core.version.ResourceVersions.Order;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiStream;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
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
final class Reflector<T extends HasMetadata> implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	/** A watch that lived this long did not fail, whatever ended it. */
	private static final long LIVED_NANOS = Duration.ofSeconds(1).toNanos();

	/** Answers to a streamed list that mean "not here" rather than "not now". */
	private static final Set<Integer> REFUSALS = Set.of(400, 405, 406, 415, 422);

	/** Client errors after which the same watch may work again. */
	private static final Set<Integer> TRANSIENT = Set.of(401, 403, 408, 429);

	private static final int GONE = 410;

	private static final int ERRORS_BEFORE_RELIST = 3;

	private final String name;

	private final ApiRequests api;

	private final KubernetesSerialization serialization;

	private final ScopeRequests requests;

	private final ObjectDecoder<T> decoder;

	private final Lister<T> lister;

	private final StorePart<T> part;

	private final InformerTimings timings;

	private final ReflectorStatus status;

	private final RandomGenerator random;

	private final LongSupplier nanos;

	private volatile boolean closed;

	private volatile boolean relistRequested;

	private volatile @Nullable ApiStream stream;

	// Below: only the reflector's thread.

	private boolean relistNeeded = true;

	private boolean relisting;

	private boolean streamsLists = true;

	private int failures;

	private boolean lively;

	private long openedAt;

	private boolean answered;

	private boolean open;

	Reflector(String name, ApiRequests api, KubernetesSerialization serialization, InformerSpec<T> spec,
			StorePart<T> part, ReflectorStatus status, RandomGenerator random, LongSupplier nanos) {
		this.name = name;
		this.api = api;
		this.serialization = serialization;
		this.requests = new ScopeRequests(spec, part.namespace());
		this.decoder = new ObjectDecoder<>(serialization, spec.type(), spec.keepManagedFields());
		this.lister = new Lister<>(api, this.requests, this.decoder);
		this.part = part;
		this.timings = spec.timings();
		this.status = status;
		this.random = random;
		this.nanos = nanos;
	}

	Lister<T> lister() {
		return this.lister;
	}

	StorePart<T> part() {
		return this.part;
	}

	ReflectorStatus status() {
		return this.status;
	}

	/** Ends the open watch; the next one continues where it stopped. */
	void reopen() {
		ApiStream current = this.stream;
		if (current != null) {
			current.close();
		}
	}

	/** Lists the scope anew as soon as possible. */
	void relist() {
		this.relistRequested = true;
		reopen();
	}

	/** Ends the thread; its interrupt ends what it may be waiting for. */
	void close() {
		this.closed = true;
		reopen();
	}

	@Override
	public void run() {
		while (!this.closed) {
			try {
				Duration pause = step();
				if (!pause.isZero() && !this.closed) {
					Thread.sleep(pause.toMillis());
				}
			}
			catch (InterruptedException ex) {
				// Only closing ends this thread.
				continue;
			}
			catch (Throwable ex) {
				logger.error("Informer failed unexpectedly and lists anew: informer={}", this.name, ex);
				this.relistNeeded = true;
				pauseAfterSurprise();
			}
		}
		this.status.closed();
	}

	private void pauseAfterSurprise() {
		try {
			this.failures++;
			Thread.sleep(pause(null).toMillis());
		}
		catch (InterruptedException ex) {
			logger.debug("Pause ended early: informer={}", this.name);
		}
	}

	/**
	 * One list or one watch, from its request to its end. Returns how long to pause then.
	 */
	private Duration step() throws InterruptedException {
		this.answered = false;
		this.open = false;
		this.lively = false;
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
		boolean lived = this.open && (this.lively || this.nanos.getAsLong() - this.openedAt >= LIVED_NANOS);
		if (lived) {
			this.failures = 0;
		}
		if (cause == null && !this.open) {
			return Duration.ZERO;
		}
		boolean refused = cause != null && cause.isAnswered();
		if (!lived || refused) {
			this.failures++;
		}
		if (cause == null || (lived && !refused)) {
			logger.debug("Watch ended: informer={} reason=\"{}\"", this.name,
					(cause != null) ? cause.getMessage() : "end of stream");
			if (cause != null && cause.reason().equals(ApiStream.SILENT)) {
				probe();
			}
			return pause(null);
		}
		if (cause.status() == GONE) {
			logger.info("Watch expired, listing anew: informer={} reason=\"{}\"", this.name, cause.getMessage());
		}
		else {
			this.status.failed(cause);
		}
		this.relistNeeded |= needsRelist(cause.status());
		return (lived && cause.status() == GONE) ? Duration.ZERO : pause(cause.retryAfter());
	}

	private boolean needsRelist(int code) {
		if (this.open && code >= 500) {
			// Told inside the watch, so it is about the watch and not about the server.
			return this.failures >= ERRORS_BEFORE_RELIST;
		}
		return code >= 400 && code < 500 && !TRANSIENT.contains(code);
	}

	private Duration pause(@Nullable Duration asked) {
		if (this.failures == 0) {
			return Duration.ZERO;
		}
		Duration own = this.timings.retryAfter(this.failures, this.random.nextDouble());
		return (asked != null && asked.compareTo(own) > 0) ? asked : own;
	}

	private void list() throws InterruptedException {
		if (!this.relisting) {
			this.part.relistStarted();
			this.relisting = true;
		}
		this.relistRequested = false;
		if (this.streamsLists) {
			try {
				watch(this.requests.watchList(watchSeconds()));
				return;
			}
			catch (ApiException ex) {
				if (!this.relisting || !isRefusal(ex)) {
					throw ex;
				}
				this.streamsLists = false;
				logger.info("API server does not stream lists, listing by pages from now on: informer={} reason=\"{}\"",
						this.name, ex.getMessage());
			}
		}
		filled(this.lister.list(this::report));
	}

	private boolean isRefusal(ApiException cause) {
		return REFUSALS.contains(cause.status()) || (this.answered && cause.reason().equals(ApiStream.SILENT));
	}

	private void filled(Listed<T> listed) {
		String before = this.part.watermark();
		if (ResourceVersions.compare(listed.version(), before) == Order.BEFORE) {
			logger.warn("API server went back in version, as after a restore of etcd: informer={} from={} to={}",
					this.name, before, listed.version());
		}
		this.part.replace(listed);
		this.relistNeeded = false;
		this.relisting = false;
		this.status.listed(listed.objects().size());
	}

	private void watch(ApiRequest request) throws InterruptedException {
		try (ApiStream opened = await(this.api.open(request))) {
			this.stream = opened;
			this.answered = true;
			if (this.closed) {
				return;
			}
			if (this.relisting) {
				filled(collect(opened));
			}
			this.open = true;
			this.openedAt = this.nanos.getAsLong();
			this.status.opened();
			follow(opened);
		}
		finally {
			this.stream = null;
		}
	}

	/** Gathers the initial events of a streamed list up to their end mark. */
	private Listed<T> collect(ApiStream from) throws InterruptedException {
		Listed<T> listed = Listed.empty();
		while (true) {
			WatchFrame frame = next(from, this.timings.answer());
			if (frame == null) {
				throw new ApiException(0, "", null, "Watch ended within its initial events", null);
			}
			ObjectFacts facts = ObjectFacts.read(frame.object());
			switch (frame.type()) {
				case ADDED, MODIFIED -> {
					try {
						listed.add(this.decoder.decode(frame.object()));
					}
					catch (UndecodableException ex) {
						report(ex);
						listed.skip(ex.facts());
					}
				}
				case DELETED -> listed.remove(facts.key());
				case BOOKMARK -> {
					if (frame.endsInitialEvents()) {
						return listed.at(facts.version());
					}
				}
				case ERROR -> throw error(frame);
			}
		}
	}

	private void follow(ApiStream from) throws InterruptedException {
		while (true) {
			WatchFrame frame = next(from, this.timings.silence());
			if (frame == null) {
				return;
			}
			if (frame.type() == WatchFrame.Type.ERROR) {
				throw error(frame);
			}
			apply(frame);
			this.lively = true;
		}
	}

	private void apply(WatchFrame frame) {
		if (frame.type() == WatchFrame.Type.BOOKMARK) {
			this.part.bookmark(ObjectFacts.read(frame.object()).version());
			return;
		}
		boolean deleted = frame.type() == WatchFrame.Type.DELETED;
		try {
			T object = this.decoder.decode(frame.object());
			if (deleted) {
				this.part.remove(object);
			}
			else {
				this.part.put(object);
			}
		}
		catch (UndecodableException ex) {
			report(ex);
			this.part.skip(ex.facts(), deleted);
		}
	}

	private @Nullable WatchFrame next(ApiStream from, Duration silence) throws InterruptedException {
		byte[] line = from.nextLine(silence);
		if (line == null) {
			return null;
		}
		try {
			return WatchFrame.of(line);
		}
		catch (IllegalArgumentException ex) {
			// Nobody knows which object it was about.
			this.relistNeeded = true;
			throw new ApiException(0, "", null, "Watch sent a line that is no event (%d bytes)".formatted(line.length),
					ex);
		}
	}

	private ApiException error(WatchFrame frame) {
		Status cause = this.serialization.unmarshal(frame.object().stream(), Status.class);
		int code = (cause.getCode() != null) ? cause.getCode() : 500;
		String reason = (cause.getReason() != null) ? cause.getReason() : "";
		Integer seconds = (cause.getDetails() != null) ? cause.getDetails().getRetryAfterSeconds() : null;
		return new ApiException(code, reason, (seconds != null) ? Duration.ofSeconds(seconds) : null,
				"Watch failed: %d %s (%s)".formatted(code, reason, cause.getMessage()), null);
	}

	/**
	 * A silent watch may be one that waits for a version the API server will not reach
	 * soon, because etcd was restored from a backup.
	 */
	private void probe() throws InterruptedException {
		try {
			String present = await(this.lister.presentVersion());
			this.relistNeeded |= ResourceVersions.compare(present, this.part.watermark()) == Order.BEFORE;
		}
		catch (ApiException ex) {
			logger.debug("Probe failed: informer={} reason=\"{}\"", this.name, ex.getMessage());
		}
	}

	private void report(UndecodableException ex) {
		logger.warn("Object does not fit its class and is left out: informer={} object={} version={} error={}",
				this.name, ex.facts().key(), ex.facts().version(), ex.getMessage());
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

}
