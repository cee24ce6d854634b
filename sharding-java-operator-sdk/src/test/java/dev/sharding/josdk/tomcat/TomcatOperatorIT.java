package dev.sharding.josdk.tomcat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.Operator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator in the shape of a sample of the SDK: two reconcilers, one with dependents
 * in a workflow, one that looks at what the other one's users wish for. It runs as it is,
 * alone and as shards.
 */
@ShardingTest(main = { Tomcat.class, Webapp.class }, controlled = { Deployment.class, Service.class },
		crds = "/operators/tomcat.yaml", roles = "/operators/tomcat-roles.yaml",
		classes = TomcatOperatorIT.Application.class)
class TomcatOperatorIT {

	private static final int OBJECTS = 12;

	private final TestRing ring;

	TomcatOperatorIT(TestRing ring) {
		this.ring = ring;
	}

	@Test
	void runsAlone(KubernetesClient client) {
		String namespace = this.ring.name() + "-alone";
		client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
		Operator operator = new Operator(
				(configuration) -> configuration.withKubernetesClient(client).withCloseClientOnStop(false));
		operator.register(new TomcatReconciler(), (changed) -> changed.settingNamespace(namespace));
		operator.register(new WebappReconciler(), (changed) -> changed.settingNamespace(namespace));
		operator.start();
		try {
			create(namespace, 1, "9");
			soon().untilAsserted(() -> assertRuns(namespace, 1, "9"));
		}
		finally {
			operator.stop();
		}
	}

	@Test
	void runsAsShards() {
		TestShard first = this.ring.shard();
		soon().untilAsserted(() -> assertThat(first).isRunning());
		create(this.ring.name(), OBJECTS, "9");
		soon().untilAsserted(() -> assertRunsAndIsWhereItBelongs("9"));

		// Objects move to a second shard, by labels alone: no generation changes.
		try (TestShard second = this.ring.startShard("shard-2")) {
			soon().until(() -> mains().stream().map(this::owner).anyMatch("shard-2"::equals));
			soon().untilAsserted(() -> assertThat(this.ring).isSettled());
			change("10");
			soon().untilAsserted(() -> assertRunsAndIsWhereItBelongs("10"));

			// A shard that loses its Lease joins again.
			first.loseLease();
			soon().untilAsserted(() -> assertThat(first).isRunning());
			soon().untilAsserted(() -> assertThat(this.ring).isSettled());
			change("11");
			soon().untilAsserted(() -> assertRunsAndIsWhereItBelongs("11"));

			// Whoever owns it cleans up.
			Webapp webapp = webapps(this.ring.name()).stream()
				.filter((found) -> owner(found).equals("shard-2"))
				.findFirst()
				.orElse(webapps(this.ring.name()).get(0));
			TestShard owner = owner(webapp).equals("shard-2") ? second : first;
			this.ring.client().resource(webapp).delete();
			soon().until(() -> this.ring.client().resource(webapp).get() == null);
			assertThat(owner.context().getBean(WebappReconciler.class).cleaned)
				.contains(webapp.getMetadata().getName());
		}
		soon().untilAsserted(() -> assertThat(mains().stream().map(this::owner)).containsOnly(ShardingTest.SHARD));
		change("12");
		soon().untilAsserted(() -> assertRunsAndIsWhereItBelongs("12"));
	}

	private void assertRunsAndIsWhereItBelongs(String version) {
		String namespace = this.ring.name();
		assertRuns(namespace, OBJECTS, version);
		for (Tomcat tomcat : tomcats(namespace)) {
			assertBelongsTo(tomcat, deployment(tomcat));
			assertBelongsTo(tomcat, service(tomcat));
		}
	}

	private void assertBelongsTo(Tomcat tomcat, HasMetadata part) {
		assertThat(part.getMetadata().getLabels()).containsEntry(ShardingLabels.shard(this.ring.name()), owner(tomcat));
		assertThat(part.getMetadata().getOwnerReferences()).singleElement()
			.satisfies((reference) -> assertThat(reference.getController()).isTrue());
	}

	private void assertRuns(String namespace, int tomcats, String version) {
		beTheDeploymentController(namespace);
		assertThat(tomcats(namespace)).hasSize(tomcats).allSatisfy((tomcat) -> {
			Deployment deployment = deployment(tomcat);
			assertThat(deployment).isNotNull();
			assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().get(0).getImage())
				.isEqualTo("tomcat:" + version);
			assertThat(service(tomcat)).isNotNull();
			assertThat(tomcat.getStatus()).isNotNull();
			assertThat(tomcat.getStatus().readyReplicas).isEqualTo(tomcat.getSpec().replicas);
		});
		assertThat(webapps(namespace)).isNotEmpty().allSatisfy((webapp) -> {
			assertThat(webapp.getStatus()).isNotNull();
			assertThat(webapp.getStatus().runsOn).isEqualTo(version);
		});
	}

	/* Nobody else does here. */
	private void beTheDeploymentController(String namespace) {
		for (Deployment deployment : this.ring.client().apps().deployments().inNamespace(namespace).list().getItems()) {
			Integer wanted = deployment.getSpec().getReplicas();
			if (deployment.getStatus() == null || !Objects.equals(deployment.getStatus().getReadyReplicas(), wanted)) {
				this.ring.client()
					.resource(new DeploymentBuilder(deployment).editOrNewStatus()
						.withReplicas(wanted)
						.withReadyReplicas(wanted)
						.endStatus()
						.build())
					.patchStatus();
			}
		}
	}

	private void create(String namespace, int count, String version) {
		for (int i = 0; i < count; i++) {
			Tomcat tomcat = new Tomcat();
			tomcat.setMetadata(new ObjectMetaBuilder().withNamespace(namespace).withName("tomcat-" + i).build());
			tomcat.setSpec(new Tomcat.Spec());
			tomcat.getSpec().version = version;
			tomcat.getSpec().replicas = 1 + i % 3;
			this.ring.client().resource(tomcat).create();
			Webapp webapp = new Webapp();
			webapp.setMetadata(new ObjectMetaBuilder().withNamespace(namespace).withName("webapp-" + i).build());
			webapp.setSpec(new Webapp.Spec());
			webapp.getSpec().tomcat = "tomcat-" + (i + 1) % count;
			this.ring.client().resource(webapp).create();
		}
	}

	private void change(String version) {
		for (Tomcat tomcat : tomcats(this.ring.name())) {
			this.ring.client()
				.resource(tomcat)
				.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"version\":\"" + version + "\"}}");
		}
	}

	private List<HasMetadata> mains() {
		List<HasMetadata> mains = new ArrayList<>(tomcats(this.ring.name()));
		mains.addAll(webapps(this.ring.name()));
		return mains;
	}

	private List<Tomcat> tomcats(String namespace) {
		return this.ring.client().resources(Tomcat.class).inNamespace(namespace).list().getItems();
	}

	private List<Webapp> webapps(String namespace) {
		return this.ring.client().resources(Webapp.class).inNamespace(namespace).list().getItems();
	}

	private Deployment deployment(Tomcat tomcat) {
		return this.ring.client()
			.apps()
			.deployments()
			.inNamespace(tomcat.getMetadata().getNamespace())
			.withName(tomcat.getMetadata().getName())
			.get();
	}

	private Service service(Tomcat tomcat) {
		return this.ring.client()
			.services()
			.inNamespace(tomcat.getMetadata().getNamespace())
			.withName(tomcat.getMetadata().getName())
			.get();
	}

	private String owner(HasMetadata object) {
		return this.ring.ownerOf(object).orElse("nobody");
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(100));
	}

	/** The application; of sharding it knows nothing. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		@Bean
		TomcatReconciler tomcatReconciler() {
			return new TomcatReconciler();
		}

		@Bean
		WebappReconciler webappReconciler() {
			return new WebappReconciler();
		}

	}

}
