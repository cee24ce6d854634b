package dev.sharding.internal.autoconfigure.runtime;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.ReconcileContext;
import dev.sharding.internal.autoconfigure.ring.ClusterCheck;
import dev.sharding.internal.autoconfigure.settings.LossExit;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseHolder;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.shard.LeaderElectedControllers;
import dev.sharding.shard.RuntimePhase;

/**
 * The controllers outside any ring.
 */
public final class LeaderElectedPart implements ControllerPart {

	/** Also what its meters are tagged with. */
	public static final String NAME = ReconcileContext.NO_RING;

	private final LeaderElectedControllers controllers;

	private final ControllerSpecs specs;

	private final @Nullable ClusterCheck cluster;

	private final LossExit lossExit;

	private volatile boolean started;

	private volatile boolean joined;

	/**
	 * Creates the part.
	 * @param controllers what runs them
	 * @param specs finds them
	 * @param cluster looks at the cluster at the start, {@code null} to wait until all is
	 * well
	 * @param lossExit hears when the Lease of the leader is lost
	 */
	public LeaderElectedPart(LeaderElectedControllers controllers, ControllerSpecs specs,
			@Nullable ClusterCheck cluster, LossExit lossExit) {
		this.controllers = controllers;
		this.specs = specs;
		this.cluster = cluster;
		this.lossExit = lossExit;
	}

	@Override
	public String name() {
		return NAME;
	}

	@Override
	public boolean start() {
		List<ControllerSpec<?>> leaderElected = this.specs.leaderElected();
		if (leaderElected.isEmpty() && !this.controllers.hasWork()) {
			// A leader without anything to do would keep others from working.
			return false;
		}
		ReadCheck.add(leaderElected, this.controllers::add);
		this.controllers.addListener((phase, reason) -> this.joined |= phase == RuntimePhase.RUNNING);
		this.controllers.addListener(this.lossExit);
		this.controllers.start(() -> {
			if (this.cluster != null) {
				this.cluster.requireUsable(leaderElected);
			}
			ReadCheck.run(this.controllers::checkReads);
		});
		this.started = true;
		return true;
	}

	@Override
	public void stop() {
		this.controllers.close();
	}

	@Override
	public RuntimePhase phase() {
		return this.controllers.phase();
	}

	@Override
	public Map<String, InformerStatus> informers() {
		return this.controllers.informers();
	}

	@Override
	public ReadStrategies readStrategies() {
		return this.controllers.readStrategies();
	}

	@Override
	public List<Controller<?>> controllers() {
		return this.controllers.controllers();
	}

	@Override
	public List<StuckCall> stuckCalls() {
		LeaseHolder holder = this.controllers.lease();
		List<StuckCall> ofListeners = (holder != null) ? holder.stuckListeners() : List.of();
		return Stream.concat(this.controllers.stuckCalls().stream(), ofListeners.stream()).toList();
	}

	@Override
	public @Nullable LeaseStatus lease() {
		LeaseHolder holder = this.controllers.lease();
		return (holder != null) ? holder.status() : null;
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

	@Override
	public boolean isStandby() {
		return true;
	}

}
