package dev.sharding.test.spring;

import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.k3s.K3sContainer;
import org.testcontainers.utility.DockerImageName;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With a container engine: skipped where there is none, and left out of the build, which
 * allows no skipped test. To run it:
 * {@code mvn -pl sharding-spring-boot-test -am test -Dtest=K3sContainerTests
 * -DexcludedGroups= -Dsurefire.failIfNoSpecifiedTests=false}
 */
@Tag("docker")
@SpringBootTest(classes = K3sContainerTests.Application.class)
@Testcontainers(disabledWithoutDocker = true)
class K3sContainerTests {

	@Container
	@ServiceConnection
	static final K3sContainer CLUSTER = new K3sContainer(DockerImageName.parse("rancher/k3s:v1.34.1-k3s1"));

	@Test
	void reachesTheCluster(@Autowired KubernetesClient client) {
		assertThat(client.namespaces().withName("default").get()).isNotNull();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

	}

}
