package dev.sharding.internal.sharder;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What namespaces cost that change while a ring selects some of them.
 */
class NamespaceChurnIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private final World world;

	private final Access user;

	private final Audit audit;

	NamespaceChurnIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "churn");
		this.user = controlPlane.user("sharder-" + Long.toHexString(System.nanoTime()),
				rule("", "get list watch patch", "secrets", "configmaps"), rule("", "get list watch", "namespaces"),
				rule("coordination.k8s.io", "get list watch create update patch delete", "leases"),
				rule("sharding.timebertt.dev", "get list watch", "controllerrings"),
				rule("sharding.timebertt.dev", "update patch", "controllerrings/status"));
		this.audit = new Audit(controlPlane.apiServer().auditLog(), this.user.user());
	}

	@BeforeEach
	void create() {
		this.world.withRing((spec) -> new ControllerRingSpec(spec.resources(),
				new LabelSelectorBuilder().addToMatchLabels("team", "a").build()));
		label(this.world.namespace, "team", "a");
		this.world.shard("shard-a");
	}

	@AfterEach
	void close() {
		this.world.close();
	}

	@Test
	@DisplayName("One that neither comes nor leaves costs nothing, one that comes or leaves the lists of that namespace")
	void costsWhatChanged() {
		String coming = namespace("coming");
		start();
		int from = this.audit.lines(0).size();
		label(this.world.namespace, "stays", "inside");
		for (int i = 0; i < 5; i++) {
			label(namespace("outside-" + i), "stays", "outside");
		}
		label(coming, "team", "a");
		World.await().untilAsserted(() -> assertThat(shard(coming)).isEqualTo("shard-a"));
		assertThat(lists(from)).hasSize(1).allSatisfy((line) -> assertThat(line).contains("/namespaces/" + coming));
		int left = this.audit.lines(0).size();
		label(coming, "team", "b");
		World.await().untilAsserted(() -> assertThat(shard(coming)).isNull());
		assertThat(lists(left)).hasSizeBetween(1, 2)
			.allSatisfy((line) -> assertThat(line).contains("/namespaces/" + coming));
	}

	@Test
	@DisplayName("Many that come at a time cost fewer lists than there are of them")
	void manyAtATimeCostLess() {
		List<String> many = IntStream.range(0, 15).mapToObj((i) -> namespace("many-" + i)).toList();
		start();
		int from = this.audit.lines(0).size();
		many.forEach((namespace) -> label(namespace, "team", "a"));
		World.await()
			.untilAsserted(() -> assertThat(many)
				.allSatisfy((namespace) -> assertThat(shard(namespace)).isEqualTo("shard-a")));
		assertThat(lists(from)).hasSizeLessThan(10);
	}

	/* The resync that the first shard leads to is over. */
	private void start() {
		this.world.secret("s-1");
		this.world.start(this.user.client(), World.AT_ONCE);
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("s-1")).isEqualTo("shard-a");
			assertThat(this.world.passes()).isPositive();
		});
	}

	private List<String> lists(int from) {
		return this.audit.lines(from)
			.stream()
			.filter((line) -> line.contains("\"verb\":\"list\"") && line.contains("\"resource\":\"secrets\"")
					&& line.contains("\"stage\":\"ResponseComplete\""))
			.toList();
	}

	/* With a Secret. */
	private String namespace(String name) {
		String full = name + "-" + this.world.namespace;
		this.world.client.resource(new NamespaceBuilder().withNewMetadata().withName(full).endMetadata().build())
			.create();
		this.world.client
			.resource(new SecretBuilder().withNewMetadata().withNamespace(full).withName("s").endMetadata().build())
			.create();
		return full;
	}

	private void label(String namespace, String label, String value) {
		UnaryOperator<Namespace> change = (
				found) -> new NamespaceBuilder(found).editMetadata().addToLabels(label, value).endMetadata().build();
		World.retrying(() -> this.world.client.namespaces().withName(namespace).edit(change));
	}

	private String shard(String namespace) {
		Secret secret = this.world.client.secrets().inNamespace(namespace).withName("s").get();
		Map<String, String> labels = secret.getMetadata().getLabels();
		return (labels != null) ? labels.get(this.world.assignedTo("any").keySet().iterator().next()) : null;
	}

	private static PolicyRule rule(String group, String verbs, String... resources) {
		return new PolicyRuleBuilder().addToApiGroups(group)
			.addToResources(resources)
			.addToVerbs(verbs.split(" "))
			.build();
	}

}
