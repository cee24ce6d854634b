package dev.sharding.test.spring;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

@ControlPlaneTest
class FailedRingIT {

	@Test
	void leavesNothingBehindWhereItCannotBeMade(KubernetesClient client, @TestNamespace String namespace) {
		ShardingTest settings = Objects.requireNonNull(Mistaken.class.getAnnotation(ShardingTest.class));
		assertThatNullPointerException().isThrownBy(() -> TestRing.create(client, namespace, settings))
			.withMessageContaining("/roles/none.yaml");
		Stream<? extends HasMetadata> left = Stream.of(client.resources(ControllerRing.class).list().getItems(),
				client.rbac().clusterRoles().list().getItems(), client.rbac().clusterRoleBindings().list().getItems())
			.flatMap(List::stream);
		assertThat(left.map((object) -> object.getMetadata().getName())).isNotEmpty()
			.noneMatch((name) -> name.contains(namespace));
	}

	/* Names a file that is not there, after one that is. */
	@ShardingTest(main = Secret.class, sharder = false, roles = { "/roles/own.yaml", "/roles/none.yaml" })
	static class Mistaken {

	}

}
