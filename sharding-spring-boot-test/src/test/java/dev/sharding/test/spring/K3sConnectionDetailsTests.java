package dev.sharding.test.spring;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.k3s.K3sContainer;
import org.testcontainers.utility.DockerImageName;

import dev.sharding.autoconfigure.KubernetesClientAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Without a container engine: what a container says of its cluster reaches the client.
 */
class K3sConnectionDetailsTests {

	@Test
	void connectsTheClientToTheContainer() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class,
					KubernetesClientAutoConfiguration.class))
			.withUserConfiguration(Containers.class)
			.run((context) -> assertThat(context.getBean(KubernetesClient.class).getMasterUrl())
				.hasToString("https://cluster.example:6443/"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Containers {

		@Bean
		@ServiceConnection
		K3sContainer cluster() {
			return new Told();
		}

	}

	/** A container that never runs. */
	static class Told extends K3sContainer {

		Told() {
			super(DockerImageName.parse("rancher/k3s:v1.34.1-k3s1"));
		}

		/* Asked for in the constructor. */
		@Override
		public String getHost() {
			return "127.0.0.1";
		}

		@Override
		public void start() {
			// Nobody is there to run it.
		}

		@Override
		public void stop() {
			// See start.
		}

		@Override
		public String getKubeConfigYaml() {
			return """
					apiVersion: v1
					kind: Config
					clusters:
					- name: k3s
					  cluster:
					    server: https://cluster.example:6443
					contexts:
					- name: k3s
					  context: {cluster: k3s, user: k3s}
					users:
					- name: k3s
					  user: {token: secret}
					current-context: k3s
					""";
		}

	}

}
