package dev.sharding.internal.autoconfigure.runtime;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.shard.RuntimePhase;

/**
 * Controllers that start and stop together: those of a ring, or those outside any ring.
 */
public interface ControllerPart extends Part {

	/** How they stand. */
	RuntimePhase phase();

	/** The status of each informer by the name of its resource. */
	Map<String, InformerStatus> informers();

	/** How their caches answer consistent lists. */
	ReadStrategies readStrategies();

	/** Whether there is anything that will join. */
	boolean isStarted();

	/** The controllers; none if the part was not started. */
	List<Controller<?>> controllers();

	/** The calls of user code that last too long. */
	List<StuckCall> stuckCalls();

	/** How their Lease stands, {@code null} if they need none. */
	@Nullable LeaseStatus lease();

	/**
	 * Why work besides the controllers could not begin or end, {@code null} if it could.
	 */
	default @Nullable String workProblem() {
		return null;
	}

	/** Whether they have reconciled, or were ready to, at least once. */
	boolean hasJoined();

	/** Whether they reconcile now, or wait for another replica that does. */
	default boolean isReady() {
		LeaseStatus lease = lease();
		return phase() == RuntimePhase.RUNNING
				|| (isStandby() && lease != null && lease.waitingFor() != null && phase() == RuntimePhase.ACQUIRING);
	}

	/** Whether waiting for another replica is a good state for them. */
	boolean isStandby();

}
