package dev.sharding.benchmarks.startup;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * The same with the Kubernetes client alone: while it starts, it lists two resources and
 * reads a Lease, as a shard does.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ClientApplication {

	private static final String LABEL = "benchmark.example/owner";

	/** Runs until it is killed. */
	public static void main(String[] args) {
		SpringApplication.run(ClientApplication.class, args);
	}

	@Bean
	KubernetesClient client() {
		KubernetesClient client = new KubernetesClientBuilder().build();
		client.secrets().inNamespace("default").withLabel(LABEL, "nobody").list();
		client.configMaps().inNamespace("default").withLabel(LABEL, "nobody").list();
		client.leases().inNamespace("default").withName("nobody").get();
		return client;
	}

}
