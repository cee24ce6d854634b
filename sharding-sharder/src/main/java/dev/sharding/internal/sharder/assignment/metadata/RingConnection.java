package dev.sharding.internal.sharder.assignment.metadata;

import java.time.InstantSource;
import java.util.function.LongSupplier;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.activity.RingActivity;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.memory.MemoryThrottle;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * What the work on a ring needs of its surroundings.
 *
 * @param client whose serialization reads answers and events
 * @param requests sends lists, watches and patches; no limit of QoS delays them, as an
 * object waits for each
 * @param metrics counts what was done
 * @param clock tells how old an object is
 * @param nanoTime a monotonic clock, in nanoseconds
 * @param throttle slows down what takes memory
 * @param activity is told what is seen and done
 */
public record RingConnection(KubernetesClient client, ApiRequests requests, AssignmentMetrics metrics,
		InstantSource clock, LongSupplier nanoTime, MemoryThrottle throttle, RingActivity activity) {

	/**
	 * With memory enough.
	 * @param client whose serialization reads answers and events
	 * @param requests sends lists, watches and patches
	 * @param metrics counts what was done
	 * @param clock tells how old an object is
	 * @param nanoTime a monotonic clock, in nanoseconds
	 */
	public RingConnection(KubernetesClient client, ApiRequests requests, AssignmentMetrics metrics, InstantSource clock,
			LongSupplier nanoTime) {
		this(client, requests, metrics, clock, nanoTime, new MemoryThrottle(MemoryPressure.NONE),
				new RingActivity(clock));
	}

	public KubernetesSerialization serialization() {
		return this.client.getKubernetesSerialization();
	}

}
