package dev.sharding.internal.sharder;

import java.time.InstantSource;
import java.util.function.LongSupplier;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.sharder.activity.RingActivity;
import dev.sharding.internal.sharder.assignment.metadata.AssignmentMetrics;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.memory.MemoryPressure;
import dev.sharding.internal.sharder.memory.MemoryThrottle;
import dev.sharding.internal.sharder.ring.Namespaces;
import dev.sharding.internal.sharder.ring.RingStatusWriter;
import dev.sharding.internal.sharder.ring.ServedRings;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.watch.EventLoop;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * What all rings share.
 */
record SharderParts(KubernetesClient client, ApiRequests requests, SharderOptions options, RingDiscovery discovery,
		Namespaces namespaces, RingStatusWriter statusWriter, ServedRings served, WebhookReports webhook,
		MemoryPressure memory, MemoryThrottle throttle, HandOverOrder order, MeterRegistry registry,
		InstantSource clock, LongSupplier nanoTime, EventLoop loop, boolean elected) {

	RingConnection connection(String ring) {
		return new RingConnection(ThrottledClient.unthrottled(this.client), this.requests.unthrottled(),
				new AssignmentMetrics(this.registry, ring), this.clock, this.nanoTime, this.throttle,
				new RingActivity(this.clock));
	}

}
