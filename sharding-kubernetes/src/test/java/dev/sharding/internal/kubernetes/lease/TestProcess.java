package dev.sharding.internal.kubernetes.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.lease.RenewalTimings;
import dev.sharding.internal.core.slot.TermEnd;
import dev.sharding.internal.core.slot.TermProgress;

/**
 * A process that wants a Lease, in manual time. Remembers what its listener heard.
 */
final class TestProcess implements LeaseListener {

	static final String INSTANCE = "instance-1";

	private final List<String> heard = new ArrayList<>();

	private final MeterRegistry meters = new SimpleMeterRegistry();

	private final ManualTime time;

	private final ManualTime.ManualLoop loop;

	private final LeaseReports reports;

	private final LeaseEngine engine;

	private boolean inUse;

	private @Nullable RuntimeException failure;

	TestProcess(ManualTime time, LeaseApi api, LeaseHolderConfig config) {
		this.time = time;
		this.loop = time.loop();
		LeaseClock clock = new LeaseClock(time::wall, time::nanos);
		this.reports = new LeaseReports(config, this.meters);
		this.reports.add(this);
		this.engine = new LeaseEngine(config, api, this.loop, new LeaseCalls(this.loop, this.loop.calls(), clock),
				this.reports, clock, () -> 0, () -> this.inUse);
	}

	static LeaseHolderConfig shardConfig(String instance) {
		LeaseHolderConfig random = LeaseHolderConfig.shard("default", "ring", "shard-1", RenewalTimings.DEFAULTS);
		return new LeaseHolderConfig(random.namespace(), random.leaseName(), random.identity(), random.labels(),
				random.timings(), instance, random.longest());
	}

	/** Somebody may act on a Lease that is gone. */
	TestProcess inUse() {
		this.inUse = true;
		return this;
	}

	TestProcess lookAhead() {
		this.engine.lookAhead();
		this.time.settle();
		return this;
	}

	TestProcess start() {
		this.engine.start();
		this.time.settle();
		return this;
	}

	CompletableFuture<Void> release() {
		CompletableFuture<Void> done = this.engine.release(TermEnd.RELEASE);
		this.time.settle();
		return done;
	}

	void noteAtOnce(TermProgress progress) {
		this.engine.note(progress, true);
		this.time.settle();
	}

	void acquireNoMore() {
		this.engine.acquireNoMore();
		this.time.settle();
	}

	void close() {
		this.engine.close();
	}

	ManualTime.ManualLoop loop() {
		return this.loop;
	}

	LeaseStatus status() {
		return this.reports.status();
	}

	LeaseReports reports() {
		return this.reports;
	}

	LeaseTerm term() {
		LeaseTerm term = status().term();
		if (term == null) {
			throw new AssertionError("There is no term: " + status());
		}
		return term;
	}

	boolean holds() {
		return status().term() != null;
	}

	MeterRegistry meters() {
		return this.meters;
	}

	/** What was heard since the last time this was asked. */
	List<String> takeHeard() {
		List<String> taken = List.copyOf(this.heard);
		this.heard.clear();
		return taken;
	}

	@Nullable RuntimeException failure() {
		return this.failure;
	}

	@Override
	public void acquired(LeaseTerm term) {
		this.heard.add("acquired " + term.number());
	}

	@Override
	public void lost(LeaseTerm term, String reason) {
		this.heard.add("lost " + term.number() + " " + reason.substring(0, reason.indexOf(':')));
	}

	@Override
	public void failed(RuntimeException failure) {
		this.heard.add("failed");
		this.failure = failure;
	}

}
