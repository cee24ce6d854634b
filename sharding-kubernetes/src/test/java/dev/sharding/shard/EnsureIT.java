package dev.sharding.shard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.sharding.cache.InvalidOwnershipException;
import dev.sharding.cache.NoStatusSubresourceException;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.Result;
import dev.sharding.internal.core.wanted.WantedFields;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a reconcile ensures is there, whatever others do, and costs nothing where it is:
 * the audit log of the API server tells.
 */
class EnsureIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> builder.auditPolicy("""
			apiVersion: audit.k8s.io/v1
			kind: Policy
			omitStages: [RequestReceived, ResponseStarted]
			rules:
			- level: Metadata
			  verbs: [get, create, update, patch, delete]
			  resources: [{group: "", resources: [configmaps]}, {group: apps}, {group: test.sharding.dev}]
			- level: None
			"""));

	private static final ResourceType<Deployment> DEPLOYMENTS = ResourceType.of(Deployment.class);

	private static final PolicyRule EVERYTHING = new PolicyRuleBuilder().withApiGroups("*")
		.withResources("*")
		.withVerbs("*")
		.build();

	private final ControlPlane cluster;

	private final KubernetesClient client;

	private final ShardWorld world;

	private final Access user;

	private final List<Throwable> failures = new CopyOnWriteArrayList<>();

	EnsureIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.world = new ShardWorld(client, namespace).patient();
		this.user = cluster.user("u" + this.world.ring, EVERYTHING);
	}

	@AfterEach
	void close() throws Exception {
		this.world.close();
		this.client.apps().deployments().inNamespace(this.world.namespace).delete();
	}

	/** A plain object, and one of which the API server makes other values. */
	@Test
	void whatIsThereCostsNoRequest() {
		Runs runs = new Runs();
		Shard shard = ensuring("s1", runs, (secret) -> List.of(configMap("1")), (secret) -> List.of(deployment("0.5")));
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> runs.count("a") > 0 && onServer() != null);
		assertThat(onServer().getMetadata().getLabels()).containsEntry(ShardingLabels.shard(this.world.ring),
				this.world.shardName("s1"));
		assertThat(onServer().getMetadata().getOwnerReferences()).singleElement()
			.satisfies((owner) -> assertThat(owner.getController()).isTrue());
		assertThat(onServer("d").getSpec()
			.getTemplate()
			.getSpec()
			.getContainers()
			.get(0)
			.getResources()
			.getRequests()
			.get("cpu")).hasToString("500m");
		int sent = audited().size();
		again(runs, 30);
		assertThat(audited()).hasSize(sent);
		// A process that has learnt nothing yet.
		shard.close();
		Runs next = new Runs();
		ensuring("s1", next, (secret) -> List.of(configMap("1")), (secret) -> List.of(deployment("0.5")));
		ShardWorld.soon().until(() -> next.count("a") > 0);
		again(next, 30);
		assertThat(audited().stream().skip(sent)).as("of the deployment alone").hasSizeLessThanOrEqualTo(1);
		assertThat(this.failures).isEmpty();
	}

	@Test
	void whatOthersChangeIsChangedBackAndWhatTheyAddStays() {
		Runs runs = new Runs();
		ensuring("s1", runs, (secret) -> List.of(configMap("1")), (secret) -> List.of());
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> onServer() != null);
		merge("{\"data\":{\"n\":\"vandal\",\"other\":\"kept\"}}");
		ShardWorld.soon().until(() -> "1".equals(onServer().getData().get("n")));
		assertThat(onServer().getData()).containsEntry("other", "kept");
		merge("{\"data\":{\"n\":null}}");
		ShardWorld.soon().until(() -> "1".equals(onServer().getData().get("n")));
		this.client.resource(onServer()).delete();
		ShardWorld.soon().until(() -> onServer() != null && "1".equals(onServer().getData().get("n")));
		assertThat(onServer().getData()).doesNotContainKey("other");
		assertThat(this.failures).isEmpty();
	}

	@Test
	void whatIsNoLongerWantedGoes() {
		Runs runs = new Runs();
		ensuring("s1", runs, (secret) -> {
			ConfigMapBuilder wanted = new ConfigMapBuilder(configMap("1"));
			return List.of((ShardWorld.annotation(secret, "less").isEmpty() ? wanted.addToData("more", "yes") : wanted)
				.build());
		}, (secret) -> List.of());
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> onServer() != null && onServer().getData().containsKey("more"));
		this.world.merge("a", "{\"metadata\":{\"annotations\":{\"less\":\"yes\"}}}");
		ShardWorld.soon().until(() -> !onServer().getData().containsKey("more"));
		assertThat(onServer().getData()).containsEntry("n", "1");
	}

	@Test
	void whatBelongsToNobodyIsLeftAlone() {
		this.client
			.resource(new ConfigMapBuilder(configMap("foreign")).editMetadata()
				.withNamespace(this.world.namespace)
				.endMetadata()
				.build())
			.create();
		Runs runs = new Runs();
		ensuring("s1", runs, (secret) -> List.of(configMap("1")), (secret) -> List.of());
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> this.failures.size() > 1);
		assertThat(this.failures)
			.allSatisfy((failure) -> assertThat(failure).isInstanceOf(InvalidOwnershipException.class)
				.hasMessageStartingWith("Failed to ensure configmaps.v1 " + this.world.namespace + "/c for Secret "
						+ this.world.namespace + "/a: it is there already, and nobody controls it."));
		assertThat(onServer().getData()).isEqualTo(Map.of("n", "foreign"));
		this.client.resource(onServer()).delete();
		ShardWorld.soon().until(() -> onServer() != null && "1".equals(onServer().getData().get("n")));
	}

	/**
	 * Two writers at once: each of ours ends well or is refused, and the last word is
	 * ours.
	 */
	@Test
	void aRaceEndsAsWanted() {
		Runs runs = new Runs();
		ensuring("s1", runs, (secret) -> List.of(configMap("1")), (secret) -> List.of());
		this.world.secretOf("s1", "a");
		ShardWorld.soon().until(() -> onServer() != null);
		for (int i = 0; i < 30; i++) {
			merge("{\"data\":{\"n\":\"vandal-%d\",\"i\":\"%d\"}}".formatted(i, i));
			if (i % 10 == 9) {
				this.client.resource(onServer()).delete();
				ShardWorld.soon().until(() -> onServer() != null);
			}
		}
		ShardWorld.soon().until(() -> "1".equals(onServer().getData().get("n")));
		assertThat(this.failures).allSatisfy((failure) -> assertThat(failure).isInstanceOfSatisfying(ApiException.class,
				(ex) -> assertThat(ex.status()).isIn(409, 422)));
	}

	/**
	 * What stands behind it that a successor is not taken for the object that was seen.
	 */
	@Test
	void anApplyIsForOneObject() {
		ResourceCache<GenericKubernetesResource> widgets = cacheOf("Widget");
		GenericKubernetesResource widget = widgets.create(custom("Widget", Map.of("size", 1)));
		GenericKubernetesResource other = object(Map.of("size", 2));
		other.getMetadata().setUid("00000000-0000-0000-0000-000000000000");
		assertRefused(422, () -> widgets.apply(other));
		widgets.delete(widget);
		assertRefused(409, () -> widgets.apply(other));
	}

	private static void assertRefused(int status, ThrowingCallable write) {
		assertThat(catchThrowable(write)).isInstanceOfSatisfying(ApiException.class,
				(ex) -> assertThat(ex.status()).isEqualTo(status));
	}

	@Test
	void aStatusThatIsThereCostsNoRequest() {
		ResourceCache<GenericKubernetesResource> widgets = cacheOf("Widget");
		GenericKubernetesResource widget = widgets.create(custom("Widget", Map.of("size", 1)));
		widget.setAdditionalProperty("status", Map.of("phase", "Ready", "old", "yes"));
		widgets.ensureStatus(widget);
		// Neither a change of the rest nor another writer of the status is a conflict.
		widgets.patch(widgets.get(this.world.namespace, "w").orElseThrow(), (now) -> {
			now.setAdditionalProperty("spec", Map.of("size", 2));
			return now;
		});
		this.client.genericKubernetesResources(context("Widget"))
			.inNamespace(this.world.namespace)
			.withName("w")
			.subresource("status")
			.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"by\":\"another\"}}");
		widget.setAdditionalProperty("status", Map.of("phase", "Ready"));
		ShardWorld.soon()
			.until(() -> "another".equals(widgets.get(this.world.namespace, "w").orElseThrow().get("status", "by")));
		GenericKubernetesResource now = widgets.ensureStatus(widget);
		assertThat(now.<Map<String, Object>>get("status")).isEqualTo(Map.of("phase", "Ready", "by", "another"));
		assertThat(now.<Integer>get("spec", "size")).isEqualTo(2);
		int sent = audited().size();
		for (int i = 0; i < 30; i++) {
			assertThat(widgets.ensureStatus(widget)).isEqualTo(now);
		}
		assertThat(audited()).hasSize(sent);
		GenericKubernetesResource namesake = object(Map.of());
		namesake.getMetadata().setUid("00000000-0000-0000-0000-000000000000");
		namesake.setAdditionalProperty("status", Map.of("phase", "Other"));
		assertThat(widgets.ensureStatus(namesake)).isEqualTo(now);
		assertThat(audited()).hasSize(sent);
	}

	@Test
	void aStatusWithoutSubresourceIsExplained() {
		ResourceCache<GenericKubernetesResource> knobs = cacheOf("Knob");
		GenericKubernetesResource knob = knobs.create(custom("Knob", Map.of("size", 1)));
		knob.setAdditionalProperty("status", Map.of("phase", "Ready"));
		for (UnaryOperator<GenericKubernetesResource> write : List.<UnaryOperator<GenericKubernetesResource>>of(
				knobs::ensureStatus, knobs::applyStatus, knobs::updateStatus)) {
			assertThat(catchThrowable(() -> write.apply(knob))).isInstanceOf(NoStatusSubresourceException.class)
				.hasMessageStartingWith("Failed to write the status of knobs.v1.test.sharding.dev "
						+ this.world.namespace + "/w: the resource has no status subresource. Declare it");
		}
	}

	private ResourceCache<GenericKubernetesResource> cacheOf(String kind) {
		CustomResourceDefinitions.apply(this.client, "/crds/widgets.yaml");
		CustomResourceDefinitions.apply(this.client, "/crds/knobs.yaml");
		LeaderElectedControllers controllers = LeaderElectedControllers.everywhere(this.user.client(),
				this.world.options);
		this.world.alsoClose(controllers);
		ResourceCache<GenericKubernetesResource> cache = controllers.caches().of(context(kind));
		controllers.start();
		return cache;
	}

	private GenericKubernetesResource custom(String kind, Map<String, Object> spec) {
		this.client.genericKubernetesResources(context(kind)).inNamespace(this.world.namespace).delete();
		return object(spec);
	}

	private GenericKubernetesResource object(Map<String, Object> spec) {
		GenericKubernetesResource object = new GenericKubernetesResource();
		object.setMetadata(new ObjectMetaBuilder().withNamespace(this.world.namespace).withName("w").build());
		object.setAdditionalProperty("spec", spec);
		return object;
	}

	private static ResourceDefinitionContext context(String kind) {
		return new ResourceDefinitionContext.Builder().withGroup("test.sharding.dev")
			.withVersion("v1")
			.withKind(kind)
			.withPlural(kind.toLowerCase(Locale.ROOT) + "s")
			.withNamespaced(true)
			.build();
	}

	private Shard ensuring(String name, Runs runs, Function<Secret, List<ConfigMap>> configMaps,
			Function<Secret, List<Deployment>> deployments) {
		Shard shard = this.world.shard(name, this.user.client(), null);
		ResourceCache<ConfigMap> configMapCache = shard.caches().of(ConfigMap.class);
		ResourceCache<Deployment> deploymentCache = shard.caches().of(Deployment.class);
		shard.add(ControllerSpec.of(ShardWorld.SECRETS, (Secret secret) -> {
			try {
				configMaps.apply(secret).forEach((wanted) -> configMapCache.ensure(secret, wanted));
				deployments.apply(secret).forEach((wanted) -> deploymentCache.ensure(secret, wanted));
			}
			catch (RuntimeException ex) {
				this.failures.add(ex);
				throw ex;
			}
			runs.add(secret);
			return Result.done();
		}).owns(ShardWorld.CONFIG_MAPS).owns(DEPLOYMENTS).build());
		shard.start();
		this.world.awaitPhase(shard, RuntimePhase.RUNNING);
		return shard;
	}

	private void again(Runs runs, int times) {
		for (int i = 0; i < times; i++) {
			int before = runs.count("a");
			this.world.merge("a", "{\"metadata\":{\"annotations\":{\"turn\":\"%s\"}}}".formatted(System.nanoTime()));
			ShardWorld.soon().until(() -> runs.count("a") > before);
		}
	}

	/** What the shard asked and wrote about the resources that are ensured. */
	private List<String> audited() {
		try {
			return Files.readAllLines(this.cluster.apiServer().auditLog())
				.stream()
				.filter((line) -> line.contains("\"namespace\":\"" + this.world.namespace + "\"")
						&& line.contains("\"username\":\"" + this.user.user() + "\""))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private ConfigMap onServer() {
		return this.client.configMaps().inNamespace(this.world.namespace).withName("c").get();
	}

	private Deployment onServer(String name) {
		return this.client.apps().deployments().inNamespace(this.world.namespace).withName(name).get();
	}

	private void merge(String patch) {
		this.client.configMaps()
			.inNamespace(this.world.namespace)
			.withName("c")
			.patch(PatchContext.of(PatchType.JSON_MERGE), patch);
	}

	private static ConfigMap configMap(String n) {
		return new ConfigMapBuilder().withNewMetadata().withName("c").endMetadata().addToData("n", n).build();
	}

	private static Deployment deployment(String cpu) {
		return new DeploymentBuilder().withNewMetadata()
			.withName("d")
			.addToAnnotations("example.com/note", WantedFields.ANNOTATION)
			.endMetadata()
			.withNewSpec()
			.withReplicas(0)
			.withNewSelector()
			.addToMatchLabels("app", "d")
			.endSelector()
			.withNewTemplate()
			.withNewMetadata()
			.addToLabels("app", "d")
			.endMetadata()
			.withNewSpec()
			.addNewContainer()
			.withName("web")
			.withImage("httpd")
			.withNewResources()
			.addToRequests("cpu", new Quantity(cpu))
			.endResources()
			.endContainer()
			.endSpec()
			.endTemplate()
			.endSpec()
			.build();
	}

	/** How often each object was reconciled to the end. */
	private static final class Runs {

		private final List<String> names = new CopyOnWriteArrayList<>();

		void add(Secret secret) {
			this.names.add(secret.getMetadata().getName());
		}

		int count(String name) {
			return new ArrayList<>(this.names).stream().filter(name::equals).toList().size();
		}

	}

}
