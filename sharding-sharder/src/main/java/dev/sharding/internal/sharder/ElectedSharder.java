package dev.sharding.internal.sharder;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import dev.sharding.internal.kubernetes.fence.FenceLaw;
import dev.sharding.internal.kubernetes.fence.WriteFence;
import dev.sharding.internal.kubernetes.lease.LeaseClients;
import dev.sharding.internal.kubernetes.lease.LeaseClock;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseHolderConfig;
import dev.sharding.internal.kubernetes.lease.LeaseListener;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.overview.SharderOverview;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.watch.SharedWatches;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a sharder while this process is the elected one, and stands by otherwise. Each
 * term has a sharder of its own, which acts on nothing but what was read, or proved to be
 * up to date, in that term, and whose writes are kept back once the term cannot be
 * proved: nothing of an earlier term is acted on, however long the process was stopped.
 */
public final class ElectedSharder implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(ElectedSharder.class);

	private static final long STOP_SECONDS = 15;

	private static final Duration OVERVIEW_WITHIN = Duration.ofSeconds(2);

	private final ElectionOptions election;

	private final Function<RequestGuard, Sharder> sharders;

	private final LeaseClock clock;

	private final MeterRegistry registry;

	private final @Nullable KubernetesClient leaseClient;

	private final @Nullable LeaseHolder lease;

	/** Starting and closing takes time that the thread of the Lease does not have. */
	private final ExecutorService executor = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "sharder-election");
		thread.setDaemon(true);
		return thread;
	});

	private volatile @Nullable Sharder current;

	/** Of the term of that sharder. */
	private volatile @Nullable RequestGuard guard;

	private volatile boolean closed;

	/**
	 * Creates a candidate that does nothing before {@link #start()}.
	 * @param client the API server; it must outlive the sharder. The Lease has a client
	 * of its own
	 * @param options how the leader works
	 * @param election how the leader is elected
	 * @param registry where the metrics live
	 */
	public ElectedSharder(KubernetesClient client, SharderOptions options, ElectionOptions election,
			MeterRegistry registry) {
		this(client, options, election, Surroundings.alone(election.namespace()), registry);
	}

	/**
	 * Creates a candidate in a program of its own.
	 * @param client the API server; it must outlive the sharder. The Lease has a client
	 * of its own
	 * @param options how the leader works
	 * @param election how the leader is elected
	 * @param webhook what the webhook says about its configurations
	 * @param watches the watches of the webhook, which must outlive the sharder;
	 * {@code null} without a webhook
	 * @param memory tells when the sharder must work slowly
	 * @param registry where the metrics live
	 */
	public ElectedSharder(KubernetesClient client, SharderOptions options, ElectionOptions election,
			WebhookReports webhook, @Nullable SharedWatches watches, MemoryPressure memory, MeterRegistry registry) {
		this(client, options, election, new Surroundings(election.namespace(), webhook, watches).withMemory(memory),
				registry);
	}

	private ElectedSharder(KubernetesClient client, SharderOptions options, ElectionOptions election,
			Surroundings surroundings, MeterRegistry registry) {
		this(client, election, registry, LeaseClock.SYSTEM,
				(guard) -> new Sharder(client, options, surroundings.elected(election.enabled()), registry,
						LeaseClock.SYSTEM.wall(), LeaseClock.SYSTEM.nanos(), guard,
						HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	/*
	 * For tests, with another clock for the Lease and with sharders of their making. The
	 * negative control of the safety tests makes sharders with another HandOverOrder.
	 */
	ElectedSharder(KubernetesClient client, ElectionOptions election, MeterRegistry registry, LeaseClock clock,
			Function<RequestGuard, Sharder> sharders) {
		this.election = election;
		this.clock = clock;
		this.registry = registry;
		this.sharders = sharders;
		if (election.enabled()) {
			this.leaseClient = LeaseClients.create(client, election.timings());
			this.lease = new LeaseHolder(LeaseHolderConfig
				.leader(election.namespace(), election.leaseName(), hostName() + "_" + UUID.randomUUID(),
						election.timings())
				.honouringSlots(), this.leaseClient, registry, clock, () -> true);
		}
		else {
			this.leaseClient = null;
			this.lease = null;
		}
	}

	/** Starts: acts as soon as it is elected. Returns at once. */
	public void start() {
		LeaseHolder holder = this.lease;
		KubernetesClient client = this.leaseClient;
		if (holder == null || client == null) {
			execute(() -> begin(RequestGuard.NONE));
			return;
		}
		holder.addListener(new Terms());
		execute(() -> {
			ElectionNamespace.ensure(client, this.election.namespace());
			candidate(holder);
		});
	}

	/**
	 * Returns how this candidate fares.
	 * @return a snapshot
	 */
	public ElectionStatus status() {
		Sharder working = this.current;
		return new ElectionStatus((this.lease != null) ? this.lease.status() : null,
				(working != null) ? working.status() : null);
	}

	/**
	 * Returns what has to look at each write of the leader's that is none of the
	 * sharder's: it lets those pass that begin and go out while the present term can be
	 * proved.
	 * @return the guard of that term, {@code null} if this process does not lead
	 */
	public @Nullable RequestGuard leading() {
		return this.guard;
	}

	/**
	 * Returns what people see. Asks the API server nothing.
	 * @return completes within seconds; never fails
	 */
	public CompletableFuture<SharderOverview> overview() {
		Sharder working = this.current;
		String at = this.clock.wall().instant().toString();
		LeaseStatus status = (this.lease != null) ? this.lease.status() : null;
		String replica = (this.lease != null) ? this.lease.config().identity() : hostName();
		String trouble = (status != null && status.failingSince() != null)
				? "The Lease of the leader: " + status.lastError() : null;
		if (working == null) {
			return CompletableFuture.completedFuture(new SharderOverview(at, replica, false,
					(status != null) ? status.waitingFor() : null, null, trouble, null, List.of()));
		}
		String since = (status != null && status.term() != null) ? status.term().acquired().wall().toString() : null;
		return working.overview()
			.orTimeout(OVERVIEW_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
			.handle((rings, failure) -> new SharderOverview(at, replica, true, replica, since,
					(rings == null) ? "The thread of the sharder does not answer"
							: (trouble != null) ? trouble : working.status().trouble(),
					null, (rings != null) ? rings : List.of()));
	}

	/**
	 * Stops for good: first the work, then the Lease is given back, so that another one
	 * takes over at once. Blocks for some seconds at most.
	 */
	@Override
	public void close() {
		this.closed = true;
		execute(this::end);
		this.executor.shutdown();
		boolean ended = false;
		try {
			ended = this.executor.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
			if (ended && this.lease != null) {
				this.lease.release().get(STOP_SECONDS, TimeUnit.SECONDS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			log.warn("Failed to release Lease {}/{}: {}", this.election.namespace(), this.election.leaseName(),
					ex.toString());
		}
		if (!ended) {
			log.warn("Stopped with work under way: the Lease of the leader runs out by itself");
		}
		if (this.lease != null && this.leaseClient != null) {
			this.lease.close();
			this.leaseClient.close();
		}
	}

	/*
	 * Lets the writes of one term pass as long as that term can be proved: not those that
	 * slept while it ended, and not those of an earlier term of the same process.
	 */
	private RequestGuard guard(LeaseHolder holder, long number) {
		return WriteFence.ofLease(holder.config().path(),
				() -> holder.term().filter((term) -> term.number() == number).orElse(null), this.clock::now,
				FenceLaw.CONTRACT, this.registry);
	}

	/* Whoever cannot begin lets others try. */
	private void lead(LeaseHolder holder, long number, RequestGuard guard) {
		try {
			end();
			begin(guard);
		}
		catch (Throwable ex) {
			log.error("Failed to begin to lead, giving the Lease back lease={}", holder.config().path(), ex);
			try {
				end();
			}
			finally {
				letOthersLead(holder, number);
			}
		}
	}

	private void letOthersLead(LeaseHolder holder, long number) {
		if (holder.term().filter((term) -> term.number() == number).isEmpty()) {
			return;
		}
		holder.release()
			.whenComplete((done, failure) -> CompletableFuture
				.delayedExecutor(this.election.timings().leaseDuration().toMillis(), TimeUnit.MILLISECONDS)
				.execute(() -> execute(() -> candidate(holder))));
	}

	private void candidate(LeaseHolder holder) {
		if (!this.closed) {
			holder.start();
		}
	}

	private void begin(RequestGuard guard) {
		if (!this.closed) {
			Sharder elected = this.sharders.apply(guard);
			this.current = elected;
			elected.start();
			this.guard = guard;
		}
	}

	private void end() {
		this.guard = null;
		Sharder old = this.current;
		if (old != null) {
			this.current = null;
			old.close();
		}
	}

	private void execute(Runnable task) {
		try {
			this.executor.execute(() -> {
				try {
					task.run();
				}
				catch (Throwable ex) {
					log.error("Failed to start or stop the sharder", ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			log.debug("Ignoring what happens after the stop");
		}
	}

	private static String hostName() {
		String name = System.getenv("HOSTNAME");
		if (name != null && !name.isEmpty()) {
			return name;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "sharder";
		}
	}

	/**
	 * Begins and ends the work with each term.
	 */
	private final class Terms implements LeaseListener {

		@Override
		public void acquired(LeaseTerm term) {
			LeaseHolder holder = ElectedSharder.this.lease;
			if (holder != null) {
				RequestGuard guard = guard(holder, term.number());
				execute(() -> lead(holder, term.number(), guard));
			}
		}

		@Override
		public void lost(LeaseTerm term, String reason) {
			execute(ElectedSharder.this::end);
		}

	}

}
