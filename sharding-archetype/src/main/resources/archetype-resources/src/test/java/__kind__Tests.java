package ${package};

import java.time.Duration;

import dev.sharding.controller.Conditions;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@ShardingTest(main = ${kind}.class, controlled = ConfigMap.class,
		crds = "/META-INF/fabric8/${plural}.${apiGroup}-v1.yml",
		roles = { "/deploy/access.yaml", "/deploy/sharding.yaml" }, ringRoles = false)
class ${kind}Tests {

	@BeforeAll
	static void patience() {
		Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
	}

	@Test
	void writesAConfigMap(TestRing ring) {
		create(ring, "hello");
		Awaitility.await().until(() -> isReady(ring, "hello"));
		ConfigMap made = ring.client().configMaps().inNamespace(ring.name()).withName("hello").get();
		assertThat(made.getData()).containsEntry("text", "text of hello");
	}

	@Test
	void anotherReplicaTakesItsShare(TestRing ring) {
		for (int i = 0; i < 20; i++) {
			create(ring, "shared-" + i);
		}
		try (TestShard second = ring.startShard("shard-2")) {
			Awaitility.await().untilAsserted(() -> assertThat(second).hasShare());
			Awaitility.await().untilAsserted(() -> assertThat(ring).isSettled());
		}
		Awaitility.await().untilAsserted(() -> assertThat(ring).isSettled());
	}

	private static void create(TestRing ring, String name) {
		${kind} resource = new ${kind}();
		resource.setMetadata(new ObjectMetaBuilder().withNamespace(ring.name()).withName(name).build());
		resource.setSpec(new ${kind}Spec());
		resource.getSpec().text = "text of " + name;
		ring.client().resource(resource).create();
	}

	private static boolean isReady(TestRing ring, String name) {
		${kind} resource = ring.client().resources(${kind}.class).inNamespace(ring.name()).withName(name).get();
		return resource.getStatus() != null && Conditions.isTrue(resource.getStatus().conditions, "Ready");
	}

}
