package dev.sharding.test.spring;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.sharding.internal.sharder.Sharder;
import dev.sharding.internal.sharder.SharderOptions;

/**
 * The sharder of a test class, with a client of its own.
 */
final class RingSharder implements AutoCloseable {

	private final KubernetesClient client;

	private final Sharder sharder;

	RingSharder(Config connection) {
		this.client = new KubernetesClientBuilder().withConfig(connection).build();
		this.sharder = new Sharder(this.client, SharderOptions.DEFAULT, new SimpleMeterRegistry());
		this.sharder.start();
	}

	@Override
	public void close() {
		this.sharder.close();
		this.client.close();
	}

}
