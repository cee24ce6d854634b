package dev.sharding.sharder;

import java.time.InstantSource;
import java.util.function.LongSupplier;

import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ThrottledClient;
import dev.sharding.sharder.activity.RingActivity;
import dev.sharding.sharder.assignment.AssignmentMetrics;
import dev.sharding.sharder.assignment.HandOverOrder;
import dev.sharding.sharder.assignment.RingConnection;
import dev.sharding.sharder.loop.EventLoop;
import dev.sharding.sharder.memory.MemoryPressure;
import dev.sharding.sharder.memory.MemoryThrottle;
import dev.sharding.sharder.ring.Namespaces;
import dev.sharding.sharder.ring.RingStatusWriter;
import dev.sharding.sharder.ring.ServedRings;
import dev.sharding.sharder.ring.WebhookReports;
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
