package dev.sharding.internal.autoconfigure.runtime;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.internal.autoconfigure.ring.RingFinding;
import dev.sharding.internal.autoconfigure.ring.RingWatch;
import dev.sharding.internal.autoconfigure.settings.ShardWatch;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.slot.StandbyStatus;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

/**
 * One shard of one ring.
 */
public final class ShardPart implements ControllerPart {

	private static final Logger logger = LoggerFactory.getLogger(ShardPart.class);

	private final Shard shard;

	private final ControllerSpecs specs;

	private final RingWatch ringWatch;

	private final ShardWatch watch;

	private final ShardMetrics metrics;

	private volatile boolean started;

	private volatile boolean joined;

	/**
	 * Creates the part.
	 * @param shard the shard
	 * @param specs finds its controllers
	 * @param ringWatch looks whether the cluster is as they need it
	 * @param watch tells the application what becomes of the shard
	 * @param metrics the meters of the shard
	 */
	ShardPart(Shard shard, ControllerSpecs specs, RingWatch ringWatch, ShardWatch watch, ShardMetrics metrics) {
		this.shard = shard;
		this.specs = specs;
		this.ringWatch = ringWatch;
		this.watch = watch;
		this.metrics = metrics;
	}

	@Override
	public String name() {
		return this.shard.ring();
	}

	@Override
	public boolean start() {
		List<ControllerSpec<?>> controllers = this.specs.sharded(this.shard.ring());
		this.specs.makeWork();
		if (controllers.isEmpty() && !this.shard.hasWork()) {
			// A shard without controllers would be given objects that nobody reconciles.
			logger.warn("Not joining the ring, as there is no controller ring={}", this.shard.ring());
			return false;
		}
		ReadCheck.add(controllers, this.shard::add);
		this.shard
			.addListener((phase, reason) -> this.joined |= phase == RuntimePhase.RUNNING && this.shard.hasBegunWork());
		this.shard.addListener(this.watch);
		this.shard.addListener(this.metrics);
		this.shard.moves().addListener(this.watch);
		this.shard.moves().addListener(this.metrics);
		this.shard.start(() -> look(controllers));
		this.started = true;
		return true;
	}

	private void look(List<ControllerSpec<?>> controllers) {
		try {
			this.ringWatch.begin(controllers);
			ReadCheck.run(this.shard::checkReads);
		}
		catch (RuntimeException ex) {
			// Nobody stops what has not started, and the ring watch has a thread. An
			// application that ends hears nothing of its shard.
			this.ringWatch.close();
			this.watch.close();
			throw ex;
		}
	}

	@Override
	public void stop() {
		this.ringWatch.close();
		this.shard.close();
		this.watch.close();
	}

	@Override
	public RuntimePhase phase() {
		return this.shard.phase();
	}

	@Override
	public Map<String, InformerStatus> informers() {
		return this.shard.informers();
	}

	@Override
	public ReadStrategies readStrategies() {
		return this.shard.readStrategies();
	}

	@Override
	public List<Controller<?>> controllers() {
		return this.shard.controllers();
	}

	@Override
	public List<StuckCall> stuckCalls() {
		List<StuckCall> ofListeners = this.shard.heldLease().map(LeaseHolder::stuckListeners).orElse(List.of());
		return Stream.concat(this.shard.userCode().stuck().stream(), ofListeners.stream()).toList();
	}

	@Override
	public @Nullable LeaseStatus lease() {
		return this.shard.heldLease().map(LeaseHolder::status).orElse(null);
	}

	@Override
	public @Nullable String workProblem() {
		return this.shard.workProblem().orElse(null);
	}

	@Override
	public boolean isStarted() {
		return this.started;
	}

	@Override
	public boolean hasJoined() {
		this.joined |= isReady();
		return this.joined;
	}

	/* One that stands by is as good as one that reconciles: there may be no free slot. */
	@Override
	public boolean isReady() {
		return (phase() == RuntimePhase.RUNNING && this.shard.hasBegunWork())
				|| this.shard.standby().filter(StandbyStatus::ready).isPresent();
	}

	@Override
	public boolean isStandby() {
		return this.shard.slots().isPresent();
	}

	public Shard shard() {
		return this.shard;
	}

	/** What the last look at the ring has shown. */
	public RingFinding ring() {
		return this.ringWatch.finding();
	}

}
