package dev.sharding.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.controller.Cleaner;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A start on a cluster that lacks something, and one that brings its ring along.
 */
@ControlPlaneTest
@ExtendWith(OutputCaptureExtension.class)
class StartIT {

	private final World world;

	StartIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = World.withRings(controlPlane, client, namespace);
	}

	@Test
	void failsForAMissingRingIfToldTo() {
		FailureAnalysis analysis = failure(this.world.runner("start-absent", this.world.client()));
		assertThat(analysis.getDescription()).contains("There is no ControllerRing 'start-absent'");
		assertThat(analysis.getAction()).contains("'sharding.definition.apply'");
		assertThat(this.world.client().leases().inNamespace(this.world.namespace()).withName("start-absent-1").get())
			.isNull();
	}

	/*
	 * Whoever looks at the ring waits for five seconds, within which a busy machine may
	 * not get to the caches. One that fills them later is never in time.
	 */
	@Test
	void cachesFillWhileTheRingIsLookedAt() {
		World.soon().untilAsserted(this::startsWithARingThatIsShownOnceCachesFill);
	}

	private void startsWithARingThatIsShownOnceCachesFill() {
		CountDownLatch filled = new CountDownLatch(1);
		try (AnswerProxy proxy = AnswerProxy.before(this.world.controlPlane().admin(), (request) -> {
			if (request.path().endsWith("/secrets")) {
				filled.countDown();
			}
			else if (request.path().endsWith("/controllerrings/start-beside")) {
				// Given up by the one who asks, unless somebody asks for objects
				// meanwhile.
				await(filled);
			}
		}, (request) -> null);
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build()) {
			this.world.runner("start-beside", client)
				.withPropertyValues("sharding.definition.apply=true", "sharding.on-startup-problem=fail")
				.run((context) -> assertThat(context).hasNotFailed());
		}
		finally {
			filled.countDown();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void failsForAMissingRightIfToldTo() {
		this.world.ring("start-rightless", "secrets", "configmaps");
		KubernetesClient user = this.world.controlPlane()
			.user("start-rightless", rule("sharding.timebertt.dev", "controllerrings", "get"),
					rule("", "secrets", "list", "watch"), rule("", "configmaps", "get", "list", "watch"),
					rule("coordination.k8s.io", "leases", "get", "create", "update"))
			.client();
		FailureAnalysis analysis = failure(this.world.runner("start-rightless", user));
		assertThat(analysis.getDescription())
			.endsWith("need: get secrets in namespace '%1$s'; patch secrets in namespace '%1$s'"
				.formatted(this.world.namespace()))
			.doesNotContain("configmaps")
			.doesNotContain("leases");
		assertThat(analysis.getAction()).contains("roles FILE");
	}

	@Test
	void failsForAMissingRightOutsideAnyRingIfToldTo() {
		KubernetesClient reader = this.world.controlPlane()
			.user("start-reader", rule("", "secrets", "get", "list", "watch"),
					rule("", "configmaps", "get", "list", "watch"))
			.client();
		ApplicationContextRunner unsharded = this.world.runner("start-plain", reader)
			.withPropertyValues("sharding.enabled=false", "sharding.on-startup-problem=fail");
		FailureAnalysis analysis = failure(unsharded);
		assertThat(analysis.getDescription()).contains("create leases.coordination.k8s.io in namespace")
			.doesNotContain("patch")
			.doesNotContain("secrets");
		assertThat(analysis.getAction()).doesNotContain("roles FILE");
		assertStarts(unsharded.withPropertyValues("sharding.leader-election.enabled=false"));
		assertThat(failure(this.world.shard("start-plain", reader)
			.withUserConfiguration(Cleaning.class)
			.withPropertyValues("sharding.enabled=false", "sharding.leader-election.enabled=false")).getDescription())
			.endsWith("need: patch secrets in namespace '%s'".formatted(this.world.namespace()));
		KubernetesClient nobody = this.world.controlPlane().user("start-nobody").client();
		assertThat(failure(this.world.shard("start-plain", nobody)
			.withUserConfiguration(LeaderElectedControllersAutoConfigurationTests.ServiceController.class)
			.withPropertyValues("sharding.ring=", "sharding.leader-election.enabled=false")).getDescription())
			.contains("list services in namespace", "watch configmaps in namespace")
			.doesNotContain("leases");
	}

	@Test
	void failsForAMissingResourceIfToldTo() {
		FailureAnalysis analysis = failure(this.world.runner("start-unserved", this.world.client())
			.withUserConfiguration(Websites.class)
			.withPropertyValues("sharding.definition.apply=true"));
		assertThat(analysis.getDescription()).contains("does not know the resource websites.v1.example.com");
		assertThat(analysis.getAction()).contains("CustomResourceDefinition");
	}

	@Test
	void failsForADefinitionOlderThanTheClassIfToldToAndElseWarns(CapturedOutput output) {
		this.world.client().resource("""
				apiVersion: apiextensions.k8s.io/v1
				kind: CustomResourceDefinition
				metadata:
				  name: boxes.start.example.com
				spec:
				  group: start.example.com
				  scope: Namespaced
				  names: {plural: boxes, singular: box, kind: Box}
				  versions:
				  - name: v1
				    served: true
				    storage: true
				    schema:
				      openAPIV3Schema:
				        type: object
				        properties:
				          spec: {type: object, properties: {size: {type: integer}}}
				""").serverSideApply();
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.ignoreExceptions()
			.until(() -> this.world.client().raw("/openapi/v3/apis/start.example.com/v1").contains("\"size\""));
		FailureAnalysis analysis = failure(this.world.runner("start-older", this.world.client())
			.withUserConfiguration(Boxes.class)
			.withPropertyValues("sharding.definition.apply=true"));
		assertThat(analysis.getDescription()).isEqualTo(
				"The CustomResourceDefinition of boxes.v1.start.example.com is" + " older than " + Box.class.getName()
						+ ": it does not know spec.colour, and the API server drops what" + " it does not know");
		assertThat(analysis.getAction()).contains("Install the CustomResourceDefinition that belongs to the class");
		// A question that is answered late counts as unanswered, as in failure(…).
		World.soon().untilAsserted(() -> {
			this.world.runner("start-older-all-the-same", this.world.client())
				.withUserConfiguration(Boxes.class)
				.withPropertyValues("sharding.definition.apply=true")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(output.getOut()).contains(analysis.getDescription() + ". " + analysis.getAction());
		});
	}

	@Test
	void declaresTheRingOfItsControllers() {
		assertStarts(this.world.runner("start-declared", this.world.client())
			.withPropertyValues("sharding.definition.apply=true", "sharding.definition.namespace-selector.team=a",
					"sharding.on-startup-problem=fail"));
		GenericKubernetesResource ring = declared("start-declared");
		assertThat(ring.<Object>get("spec", "resources")).isEqualTo(List.of(Map.of("group", "", "resource", "secrets",
				"controlledResources", List.of(Map.of("group", "", "resource", "configmaps")))));
		assertThat(ring.<Object>get("spec", "namespaceSelector", "matchLabels")).isEqualTo(Map.of("team", "a"));
	}

	@Test
	void declaresTheRingOfItsProperties() {
		ApplicationContextRunner runner = this.world.runner("start-listed", this.world.client())
			.withPropertyValues("sharding.definition.apply=true", "sharding.definition.resources[0].resource=secrets",
					"sharding.definition.resources[0].controlled-resources[0].resource=configmaps",
					"sharding.definition.resources[1].group=apps",
					"sharding.definition.resources[1].resource=deployments");
		World.soon().untilAsserted(() -> {
			runner.run((context) -> assertThat(context).hasNotFailed());
			assertThat(declared("start-listed")).isNotNull();
		});
		assertThat(declared("start-listed").<List<?>>get("spec", "resources")).hasSize(2);
		KubernetesClient user = this.world.controlPlane()
			.user("start-listed", rule("sharding.timebertt.dev", "controllerrings", "get"))
			.client();
		FailureAnalysis analysis = failure(
				this.world.runner("start-listed", user).withPropertyValues("sharding.definition.apply=true"));
		assertThat(analysis.getDescription()).contains("Failed to apply ControllerRing 'start-listed'", "403");
		assertThat(analysis.getAction()).contains("'sharding.definition'");
	}

	@Test
	void needsTheRightToReadTheRingOfItsSlots() {
		this.world.ring("start-slots", "secrets", "configmaps");
		KubernetesClient user = this.world.controlPlane()
			.user("start-slots", rule("coordination.k8s.io", "leases", "get", "list", "create", "update"),
					rule("", "secrets", "get", "list", "watch", "patch"),
					rule("", "configmaps", "get", "list", "watch", "create", "update"),
					rule("events.k8s.io", "events", "create"))
			.client();
		FailureAnalysis analysis = failure(
				this.world.runner("start-slots", user).withPropertyValues("sharding.shard-name=", "sharding.slots=2"));
		assertThat(analysis.getDescription()).isEqualTo(
				("The application lacks rights that its controllers need: get ControllerRing 'start-slots' (as it"
						+ " belongs to no namespace, by a ClusterRoleBinding); patch configmaps in namespace '%s'")
					.formatted(this.world.namespace()));
	}

	/*
	 * An API server that does not answer in time is another problem, and one that passes:
	 * some questions then count as unanswered, and the application starts.
	 */
	private static FailureAnalysis failure(ApplicationContextRunner runner) {
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		World.soon().until(() -> {
			runner.withPropertyValues("sharding.on-startup-problem=fail").run((context) -> {
				Throwable failure = context.getStartupFailure();
				analysis.set((failure != null) ? Apps.analysis(failure) : null);
			});
			return analysis.get() != null && Stream.of("gives no useful answer", "Failed to look at the cluster")
				.noneMatch(analysis.get().getDescription()::contains);
		});
		return analysis.get();
	}

	private static void assertStarts(ApplicationContextRunner runner) {
		World.soon().untilAsserted(() -> runner.run((context) -> assertThat(context).hasNotFailed()));
	}

	private GenericKubernetesResource declared(String ring) {
		return this.world.client().genericKubernetesResources(World.RINGS).withName(ring).get();
	}

	private static PolicyRule rule(String group, String resource, String... verbs) {
		return new PolicyRuleBuilder().withApiGroups(group).withResources(resource).withVerbs(verbs).build();
	}

	@Configuration(proxyBeanMethods = false)
	static class Websites {

		@Bean
		ControllerSpec<?> website() {
			return ControllerSpec.of(ResourceType.of(new ResourceDefinitionContext.Builder().withGroup("example.com")
				.withVersion("v1")
				.withKind("Website")
				.withPlural("websites")
				.withNamespaced(true)
				.build()), (website) -> Result.done()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Cleaning {

		@Bean
		ControllerSpec<?> cleaning() {
			return ControllerSpec.of(ResourceType.of(Secret.class), (secret) -> Result.done()).cleanUp(new Cleaner<>() {

				@Override
				public String finalizer() {
					return "start.example.com/cleaning";
				}

				@Override
				public Result cleanUp(Secret secret) {
					return Result.done();
				}

			}).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Boxes {

		@Bean
		ControllerSpec<?> box() {
			return ControllerSpec.of(ResourceType.of(Box.class), (box) -> Result.done()).build();
		}

	}

	@Group("start.example.com")
	@Version("v1")
	@Plural("boxes")
	public static class Box extends CustomResource<BoxSpec, Void> implements Namespaced {

		private static final long serialVersionUID = 1L;

	}

	/**
	 * What is wanted of a box.
	 */
	public static class BoxSpec {

		/** How large. */
		public int size;

		/** The definition does not know of it yet. */
		public String colour = "";

	}

}
