package dev.sharding.test.spring;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneBuilder;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is generated, deployed: the application works with the rights that it has there,
 * and may do nothing to what others have. Its resource is one that needs no
 * CustomResourceDefinition.
 */
class GeneratedDeploymentIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension
		.own((builder) -> builder.auditPolicy(ControlPlaneBuilder.AUDIT_EVERYTHING));

	private static final String NAME = "greetings";

	private static final String ACCOUNT = "system:serviceaccount:" + NAME + ":" + NAME;

	private static final String LEASES = "coordination.k8s.io/leases";

	private static final String RINGS = "sharding.timebertt.dev/controllerrings";

	private final Map<String, String> project = new GeneratedProject("Secret", "secrets", "\"\"").files();

	private final ControlPlane controlPlane;

	private final KubernetesClient client;

	GeneratedDeploymentIT(ControlPlane controlPlane, KubernetesClient client) throws IOException {
		this.controlPlane = controlPlane;
		this.client = client;
	}

	@BeforeEach
	void deploy() {
		CustomResourceDefinitions.apply(this.client, "/dev/sharding/internal/sharder/ring/controllerrings.yaml");
		for (String file : List.of("binding", "access", "sharding", "deployment")) {
			manifests(file).forEach((manifest) -> this.client.resource(manifest).serverSideApply());
		}
		Secrets.soon().untilAsserted(() -> {
			assertThat(isAllowed("patch", "/secrets", "default", "")).isTrue();
			assertThat(isAllowed("patch", RINGS, "", NAME)).isTrue();
			assertThat(isAllowed("watch", LEASES, "kube-system", "")).isTrue();
			assertThat(isAllowed("update", LEASES, NAME, "")).isTrue();
			assertThat(isAllowed("delete", LEASES, NAME, "")).isTrue();
			assertThat(isAllowed("update", LEASES, "sharding-system", "sharder")).isTrue();
		});
	}

	@Test
	void mayNotWriteLeasesAndRingsOfOthers() {
		for (String verb : List.of("get", "create", "update", "patch", "delete")) {
			assertThat(isAllowed(verb, LEASES, "kube-system", "")).as(verb).isFalse();
			assertThat(isAllowed(verb, LEASES, "sharding-system", "of-another")).as(verb)
				// An election whose Lease is not there makes it, and no role can say
				// which.
				.isEqualTo(verb.equals("create"));
		}
		for (String verb : List.of("create", "update", "patch", "delete", "join")) {
			assertThat(isAllowed(verb, RINGS, "", "other")).as(verb).isFalse();
			assertThat(isAllowed(verb, RINGS, NAME, "other")).as(verb).isFalse();
		}
		assertThat(isAllowed("join", RINGS, NAME, NAME)).isTrue();
		assertThat(isAllowed("join", RINGS, "default", NAME)).isFalse();
	}

	@Test
	void worksWithTheRightsThatItHas() throws IOException {
		Config account = new ConfigBuilder(this.client.getConfiguration()).withImpersonateUsername(ACCOUNT).build();
		KubernetesConnectionDetails connection = () -> account;
		try (ConfigurableApplicationContext application = new SpringApplicationBuilder(CopyApplication.class)
			.bannerMode(Banner.Mode.OFF)
			.initializers((context) -> {
				context.getEnvironment()
					.getPropertySources()
					.addFirst(new SystemEnvironmentPropertySource("pod-systemEnvironment", environment("pod-1")));
				context.getBeanFactory().registerSingleton("connectionToTheCluster", connection);
			})
			.run("--sharding.ring=" + NAME)) {
			Shard shard = application.getBean(Shard.class);
			Secrets.soon().untilAsserted(() -> assertThat(shard.phase()).isEqualTo(RuntimePhase.RUNNING));
			Secret secret = this.client
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace("default")
					.withName("hello")
					.endMetadata()
					.build())
				.create();
			Secrets.soon().untilAsserted(() -> {
				assertThat(this.client.configMaps().inNamespace("default").withName("hello").get()).isNotNull();
				assertThat(this.client.resources(ControllerRing.class).withName(NAME).get().getStatus().conditions())
					.filteredOn((condition) -> List.of("Ready", "LeasesAccessible").contains(condition.getType()))
					.hasSize(2)
					.allMatch((condition) -> condition.getStatus().equals("True"));
			});
			this.client.resource(secret).delete();
		}
		List<String> requests = Files.readAllLines(this.controlPlane.apiServer().auditLog())
			.stream()
			.filter((line) -> line.contains("\"username\":\"" + ACCOUNT + "\""))
			.toList();
		assertThat(requests).isNotEmpty().noneMatch((line) -> line.contains("\"code\":403"));
	}

	/* Of a container of the Deployment, as a node would set it. */
	private Map<String, Object> environment(String pod) {
		Map<String, Object> environment = new HashMap<>();
		Deployment deployment = (Deployment) manifests("deployment").get(0);
		deployment.getSpec().getTemplate().getSpec().getContainers().get(0).getEnv().forEach((variable) -> {
			String value = variable.getValue();
			if (value == null) {
				String field = variable.getValueFrom().getFieldRef().getFieldPath();
				value = field.equals("metadata.name") ? pod : NAME;
			}
			environment.put(variable.getName(), value);
		});
		assertThat(environment).containsEntry("SHARDING_SHARD_NAME", pod)
			.containsEntry("SHARDING_SHARDER_LEASE_NAMESPACES", NAME);
		return environment;
	}

	private List<HasMetadata> manifests(String file) {
		byte[] content = this.project.get("deploy/" + file + ".yaml").getBytes(StandardCharsets.UTF_8);
		return this.client.load(new ByteArrayInputStream(content)).items();
	}

	private boolean isAllowed(String verb, String resource, String namespace, String name) {
		String[] parts = resource.split("/");
		return this.client
			.resource(new SubjectAccessReviewBuilder().withNewSpec()
				.withUser(ACCOUNT)
				.withNewResourceAttributes()
				.withVerb(verb)
				.withGroup(parts[0])
				.withResource(parts[1])
				.withNamespace(namespace)
				.withName(name)
				.endResourceAttributes()
				.endSpec()
				.build())
			.create()
			.getStatus()
			.getAllowed();
	}

}
