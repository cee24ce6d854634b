package dev.sharding.test.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

import dev.sharding.internal.autoconfigure.runtime.SharderPart;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ShardingTest(main = Secret.class, controlled = ConfigMap.class, classes = CopyApplication.class,
		roles = "/roles/controller.yaml")
@ActiveProfiles({ "slots", "production" })
@TestPropertySource("/of-a-test.properties")
class ShardingTestIT {

	@DynamicPropertySource
	static void tell(DynamicPropertyRegistry registry) {
		registry.add("of-a-test.told", () -> "told");
	}

	@Autowired
	private TestRing ring;

	@Autowired
	private KubernetesClient applicationClient;

	@Test
	void givesTheApplicationARingOfItsOwn(TestRing parameter, KubernetesClient testClient) {
		assertThat(parameter).isSameAs(this.ring);
		assertThat(this.ring.shard().context().getBean(Shard.class).ring()).isEqualTo(this.ring.name());
		assertThat(this.applicationClient.getMasterUrl()).isEqualTo(testClient.getMasterUrl());
		soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning().holdsItsLease());
		Secret secret = create("alone");
		soon().untilAsserted(() -> assertThat(reconciledBy(secret)).isEqualTo(ShardingTest.SHARD));
		assertThat(this.ring).hasOwner(secret, ShardingTest.SHARD);
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(this.ring.shard()).doesNotOwn(secret))
			.withMessageContaining("not to own alone");
	}

	@Test
	void theRingAndItsSharderAreThoseOfTheTest() {
		try (TestShard second = this.ring.startShard("shard-2")) {
			for (TestShard shard : List.of(this.ring.shard(), second)) {
				soon().untilAsserted(() -> assertThat(shard).isRunning());
				assertThat(shard.context().getBeansOfType(SharderPart.class)).isEmpty();
			}
		}
	}

	@Test
	void sharesOutObjectsWithASecondShard() {
		List<Secret> secrets = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			secrets.add(create("shared-" + i));
		}
		try (TestShard second = this.ring.startShard("shard-2")) {
			assertThat(second.context().getEnvironment().getProperty("of-a-test.told")).isEqualTo("told");
			assertThat(second.context().getEnvironment().getProperty("of-a-test.written")).isEqualTo("written");
			assertThat(second.context().getEnvironment().getProperty("management.server.port")).isEqualTo("0");
			soon().untilAsserted(() -> assertThat(second).isRunning());
			soon().untilAsserted(() -> assertThat(this.ring).isSettled());
			// Settled means that the second one has its share by now.
			assertThat(second).hasShare();
			assertThat(secrets.stream().map(this.ring::ownerOf).distinct()).hasSize(2);
			soon().untilAsserted(() -> {
				for (Secret secret : secrets) {
					assertThat(reconciledBy(secret)).isEqualTo(this.ring.ownerOf(secret).orElseThrow());
				}
			});
		}
		soon().untilAsserted(() -> {
			for (Secret secret : secrets) {
				assertThat(this.ring).hasOwner(secret, ShardingTest.SHARD);
			}
		});
	}

	@Test
	void joinsAgainAfterItsLeaseWasTaken() {
		soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning());
		this.ring.shard().loseLease();
		soon().untilAsserted(() -> assertThat(this.ring.shard()).isRunning().holdsItsLease());
	}

	@Test
	void anApplicationThatEndsLeavesTheTestsAloneAndItsObjectsToTheOthers() {
		for (int i = 0; i < 30; i++) {
			create("left-" + i);
		}
		try (TestShard second = this.ring.startShard("shard-2", "sharding.lease.on-loss=exit")) {
			soon().untilAsserted(() -> assertThat(second).hasShare());
			second.loseLease();
			soon().untilAsserted(() -> assertThat(second).isIn(RuntimePhase.STOPPED));
			soon().untilAsserted(() -> assertThat(this.ring).isSettled());
		}
	}

	@Test
	void theApplicationMayDoWhatItsRolesSayAndNothingElse() {
		String namespace = this.ring.name();
		assertThat(this.applicationClient.services().inNamespace(namespace).list().getItems()).isEmpty();
		assertThat(this.applicationClient.services().inNamespace(namespace).withName("known").get()).isNull();
		assertThat(this.applicationClient.nodes().list().getItems()).isEmpty();
		refused(() -> this.applicationClient.services().inNamespace(namespace).withName("other").get());
		refused(() -> this.applicationClient.services().inNamespace("default").list());
		refused(() -> this.applicationClient.pods().inNamespace(namespace).list());
		refused(() -> this.applicationClient.leases().inNamespace("default").list());
	}

	private static void refused(ThrowingCallable request) {
		assertThatExceptionOfType(KubernetesClientException.class).isThrownBy(request)
			.satisfies((failure) -> assertThat(failure.getCode()).isEqualTo(403));
	}

	@Nested
	class InANestedClass {

		@Test
		void usesTheSameApplication(TestRing parameter) {
			assertThat(parameter).isSameAs(ShardingTestIT.this.ring);
		}

	}

	private Secret create(String name) {
		return this.ring.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.ring.name())
				.withName(name)
				.endMetadata()
				.build())
			.create();
	}

	private String reconciledBy(Secret secret) {
		ConfigMap note = this.ring.client()
			.configMaps()
			.inNamespace(this.ring.name())
			.withName(secret.getMetadata().getName())
			.get();
		return (note != null) ? note.getData().get("shard") : "nobody";
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

}
