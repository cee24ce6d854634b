package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import dev.sharding.cache.InformerEvent;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TcpProxy;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class InformerFaultIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlane = ControlPlaneExtension.own((builder) -> {
	});

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final InformerTimings HASTY = InformerTimings.DEFAULT.withRetry(Duration.ofMillis(50),
			Duration.ofMillis(500));

	private static final ResourceType<GenericKubernetesResource> WIDGETS = ResourceType
		.of(new ResourceDefinitionContext.Builder().withGroup("test.sharding.dev")
			.withVersion("v1")
			.withPlural("widgets")
			.withKind("Widget")
			.withNamespaced(true)
			.build());

	private final ControlPlane cluster;

	private final KubernetesClient client;

	private final String namespace;

	private final List<AutoCloseable> toClose = new ArrayList<>();

	InformerFaultIT(ControlPlane cluster, KubernetesClient client, @TestNamespace String namespace) {
		this.cluster = cluster;
		this.client = client;
		this.namespace = namespace;
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.toClose) {
			each.close();
		}
		this.client.configMaps().inNamespace(this.namespace).withLabel("test").delete();
	}

	@Test
	void survivesTheDeathOfTheApiServer() {
		create("before");
		Informer<ConfigMap> informer = start(this.client, configMaps());
		Recorder<ConfigMap> recorder = record(informer);
		sync(informer);
		this.cluster.apiServer().process().kill();
		await().atMost(PATIENCE).until(() -> informer.status().failingSince() != null);
		assertThat(informer.status().watching()).isFalse();
		assertThat(informer.status().lastError()).contains("configmaps in namespace " + this.namespace);
		assertThat(informer.store().size()).isEqualTo(1);
		this.cluster.apiServer().process().start();
		create("after");
		await().atMost(PATIENCE).until(() -> recorder.words().contains("added after"));
		await().atMost(PATIENCE).until(() -> informer.status().failingSince() == null && informer.status().watching());
		assertThat(recorder.words()).containsExactly("added before", "added after");
	}

	@Test
	void listsAnewWhenItsVersionIsForgotten() {
		create("changed");
		create("removed");
		create("same");
		TcpProxy proxy = proxy();
		Informer<ConfigMap> informer = start(this.cluster.admin().through(proxy).client(), configMaps());
		Recorder<ConfigMap> recorder = record(informer);
		sync(informer);
		ConfigMap same = informer.store().get(new ObjectKey(this.namespace, "same"));
		proxy.refuse();
		annotate("changed");
		this.client.configMaps().inNamespace(this.namespace).withName("removed").delete();
		create("added");
		this.cluster.forgetHistory();
		int before = recorder.events().size();
		proxy.heal();
		await().atMost(PATIENCE).until(() -> recorder.events(InformerEvent.RelistFinished.class).size() == 2);
		List<InformerEvent<ConfigMap>> events = recorder.events().subList(before, recorder.events().size());
		assertThat(events.get(0)).isInstanceOf(InformerEvent.RelistStarted.class);
		assertThat(recorder.words().subList(3, 6)).containsExactlyInAnyOrder("updated changed", "removed removed",
				"added added");
		assertThat(recorder.events(InformerEvent.Updated.class)).allMatch(InformerEvent.Updated::relist);
		assertThat(recorder.events(InformerEvent.Removed.class)).allMatch(InformerEvent.Removed::finalStateUnknown);
		assertThat(informer.store().get(new ObjectKey(this.namespace, "same"))).isSameAs(same);
		assertThat(informer.status().relists()).isEqualTo(2);
	}

	@Test
	void continuesAfterItsConnectionIsCutAgainAndAgain() {
		TcpProxy proxy = proxy();
		Informer<ConfigMap> informer = start(this.cluster.admin().through(proxy).client(), configMaps());
		Recorder<ConfigMap> recorder = record(informer);
		sync(informer);
		proxy.delay(Duration.ofMillis(20));
		List<String> expected = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			create("cut-" + i);
			expected.add("added cut-" + i);
			if (i % 3 == 0) {
				proxy.cut();
			}
		}
		await().atMost(PATIENCE).until(() -> recorder.words().size() == 30);
		assertThat(recorder.words()).isEqualTo(expected);
		assertThat(informer.status().relists()).isEqualTo(1);
	}

	@Test
	void allInformersContinueWhenAllWatchesOfAResourceAreClosedAtOnce() {
		CustomResourceDefinitions.apply(this.client, "/crds/widgets.yaml");
		List<Informer<PartialObjectMetadata>> informers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			informers.add(start(this.client, InformerSpec.of(WIDGETS.metadata()).withTimings(HASTY)));
		}
		informers.forEach(InformerFaultIT::sync);
		// A changed definition gets a new storage; whoever watched the old one is sent
		// away.
		for (int round = 0; round < 3; round++) {
			String description = "round " + round;
			this.client.apiextensions()
				.v1()
				.customResourceDefinitions()
				.withName("widgets.test.sharding.dev")
				.edit((crd) -> {
					crd.getSpec().getVersions().get(0).getSchema().getOpenAPIV3Schema().setDescription(description);
					return crd;
				});
			createWidget("closed-" + round, Map.of());
		}
		for (Informer<PartialObjectMetadata> informer : informers) {
			await().atMost(PATIENCE).until(() -> informer.store().size() == 3 && informer.status().watching());
		}
		this.client.genericKubernetesResources("test.sharding.dev/v1", "Widget").inNamespace(this.namespace).delete();
	}

	@Test
	void noticesAConnectionThatDiedInSilence() {
		TcpProxy proxy = proxy();
		Informer<ConfigMap> informer = start(this.cluster.admin().through(proxy).client(),
				configMaps().withTimings(HASTY.withSilence(Duration.ofSeconds(3)).withAnswer(Duration.ofSeconds(5))));
		sync(informer);
		proxy.blackHole();
		create("unheard");
		await().atMost(PATIENCE).until(() -> informer.status().failingSince() != null);
		proxy.heal();
		await().atMost(PATIENCE).until(() -> informer.store().size() == 1);
		assertThat(informer.status().relists()).isEqualTo(1);
	}

	@Test
	void whatWasWrittenEndsAPauseAfterFailures() {
		TcpProxy proxy = proxy();
		Informer<ConfigMap> informer = start(this.cluster.admin().through(proxy).client(),
				configMaps().withTimings(HASTY.withRetry(Duration.ofHours(1), Duration.ofHours(1))));
		Recorder<ConfigMap> recorder = record(informer);
		sync(informer);
		proxy.refuse();
		await().atMost(PATIENCE).until(() -> !informer.status().watching());
		proxy.heal();
		create("late");
		String version = this.client.configMaps()
			.inNamespace(this.namespace)
			.withName("late")
			.get()
			.getMetadata()
			.getResourceVersion();
		informer.told(version, this.namespace).orTimeout(90, TimeUnit.SECONDS).join();
		assertThat(recorder.words()).containsExactly("added late");
	}

	@Test
	void refreshDoesNotBelieveAStalledWatch() {
		TcpProxy proxy = proxy();
		Informer<ConfigMap> informer = start(this.cluster.admin().through(proxy).client(), configMaps());
		Recorder<ConfigMap> recorder = record(informer);
		sync(informer);
		proxy.pauseResponses();
		create("late");
		CompletableFuture<Void> refresh = informer.refresh();
		proxy.delay(Duration.ofMillis(200));
		proxy.heal();
		refresh.orTimeout(90, TimeUnit.SECONDS).join();
		assertThat(recorder.words()).containsExactly("added late");
	}

	@Test
	void closesAtOnceWhileEtcdIsFrozen() throws Exception {
		Informer<ConfigMap> syncing = null;
		Informer<ConfigMap> watching = start(this.client, configMaps());
		sync(watching);
		this.cluster.etcd().process().pause();
		try {
			syncing = start(this.client, configMaps());
			CompletableFuture<Void> synced = syncing.synced();
			CompletableFuture<Void> refreshed = watching.refresh();
			Informer<ConfigMap> stuck = syncing;
			CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> {
				stuck.close();
				watching.close();
			});
			closed.get(30, TimeUnit.SECONDS);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(synced::join)
				.withCauseInstanceOf(CancellationException.class);
			assertThatExceptionOfType(CompletionException.class).isThrownBy(refreshed::join)
				.withCauseInstanceOf(CancellationException.class);
			await().atMost(PATIENCE)
				.until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getName().startsWith("informer-")));
		}
		finally {
			this.cluster.etcd().process().resume();
		}
	}

	@Test
	void failsUntilTheRoleIsGranted() {
		Access user = this.cluster.user("newcomer");
		Informer<Secret> informer = start(user.client(),
				InformerSpec.of(ResourceType.of(Secret.class)).inNamespaces(Set.of(this.namespace)).withTimings(HASTY));
		List<InformerStatus> told = new ArrayList<>();
		informer.addStatusListener((status) -> {
			synchronized (told) {
				told.add(status);
			}
		});
		Instant before = Instant.now();
		await().atMost(PATIENCE).until(() -> informer.status().failingSince() != null);
		assertThat(informer.status().lastError())
			.startsWith("Failed to GET secrets in namespace " + this.namespace + ": 403 Forbidden");
		assertThat(informer.status().failingSince()).isBetween(before.minusSeconds(60), Instant.now());
		assertThat(informer.status().synced()).isFalse();
		grantSecretsTo("newcomer");
		sync(informer);
		await().atMost(PATIENCE).until(() -> informer.status().failingSince() == null);
		await().atMost(PATIENCE).untilAsserted(() -> {
			synchronized (told) {
				assertThat(told).anyMatch((status) -> status.failingSince() != null)
					.last()
					.matches((status) -> status.synced() && status.watching());
			}
		});
	}

	@Test
	void waitsForItsResourceToBeInstalled() {
		Informer<GenericKubernetesResource> informer = start(this.client,
				InformerSpec.of(ResourceType.of(new ResourceDefinitionContext.Builder().withGroup("late.sharding.dev")
					.withVersion("v1")
					.withPlural("gadgets")
					.withKind("Gadget")
					.withNamespaced(true)
					.build())).withTimings(HASTY));
		await().atMost(PATIENCE).until(() -> informer.status().failingSince() != null);
		assertThat(informer.status().lastError()).contains("404");
		CustomResourceDefinitions.apply(this.client, "/crds/gadgets.yaml");
		sync(informer);
	}

	@Test
	void leavesOutWhatDoesNotFitItsClassAndFollowsTheRest() {
		CustomResourceDefinitions.apply(this.client, "/crds/widgets.yaml");
		createWidget("good", Map.of("size", 3));
		createWidget("bad", Map.of("size", "enormous"));
		Informer<SizedWidget> informer = start(this.client,
				InformerSpec.of(ResourceType.of(SizedWidget.class)).inNamespaces(Set.of(this.namespace)));
		sync(informer);
		assertThat(informer.store().list()).extracting((widget) -> widget.getSpec().size).containsExactly(3);
		assertThat(informer.status().undecodable()).isEqualTo(1);
		createWidget("worse", Map.of("size", List.of()));
		createWidget("better", Map.of("size", 4));
		await().atMost(PATIENCE).until(() -> informer.store().size() == 2);
		assertThat(informer.status().undecodable()).isEqualTo(2);
		informer.refresh().orTimeout(60, TimeUnit.SECONDS).join();
		this.client.genericKubernetesResources("test.sharding.dev/v1", "Widget")
			.inNamespace(this.namespace)
			.withName("bad")
			.edit((widget) -> {
				widget.setAdditionalProperty("spec", Map.of("size", 5));
				return widget;
			});
		await().atMost(PATIENCE).until(() -> informer.store().size() == 3);
		assertThat(informer.status().undecodable()).isEqualTo(1);
		this.client.genericKubernetesResources("test.sharding.dev/v1", "Widget").inNamespace(this.namespace).delete();
		await().atMost(PATIENCE).until(() -> informer.store().size() == 0 && informer.status().undecodable() == 0);
	}

	private void grantSecretsTo(String serviceAccount) {
		this.client
			.resource(new RoleBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("secrets")
				.endMetadata()
				.addNewRule()
				.withApiGroups("")
				.withResources("secrets")
				.withVerbs("list", "watch")
				.endRule()
				.build())
			.create();
		this.client
			.resource(new RoleBindingBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("secrets")
				.endMetadata()
				.withNewRoleRef("rbac.authorization.k8s.io", "Role", "secrets")
				.addNewSubject()
				.withKind("ServiceAccount")
				.withNamespace("default")
				.withName(serviceAccount)
				.endSubject()
				.build())
			.create();
	}

	private InformerSpec<ConfigMap> configMaps() {
		return InformerSpec.of(ResourceType.of(ConfigMap.class))
			.inNamespaces(Set.of(this.namespace))
			.withLabelSelector("test")
			.withTimings(HASTY);
	}

	private TcpProxy proxy() {
		TcpProxy proxy = TcpProxy.to(this.cluster.apiServer());
		this.toClose.add(proxy);
		return proxy;
	}

	private <T extends HasMetadata> Informer<T> start(KubernetesClient connection, InformerSpec<T> spec) {
		Informer<T> informer = new Informer<>(connection, spec);
		this.toClose.add(0, informer);
		informer.start();
		return informer;
	}

	private static <T extends HasMetadata> Recorder<T> record(Informer<T> informer) {
		Recorder<T> recorder = new Recorder<>();
		informer.addHandler(recorder);
		return recorder;
	}

	private static void sync(Informer<?> informer) {
		informer.synced().orTimeout(90, TimeUnit.SECONDS).join();
	}

	private void create(String name) {
		this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.addToLabels("test", "yes")
				.endMetadata()
				.build())
			.create();
	}

	private void annotate(String name) {
		this.client.configMaps().inNamespace(this.namespace).withName(name).edit((configMap) -> {
			configMap.getMetadata().setAnnotations(Map.of("changed", "yes"));
			return configMap;
		});
	}

	private void createWidget(String name, Map<String, Object> spec) {
		this.client
			.resource(new GenericKubernetesResourceBuilder().withApiVersion("test.sharding.dev/v1")
				.withKind("Widget")
				.withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.endMetadata()
				.addToAdditionalProperties("spec", spec)
				.build())
			.create();
	}

}
