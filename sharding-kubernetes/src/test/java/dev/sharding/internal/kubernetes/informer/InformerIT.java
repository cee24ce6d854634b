package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.kubernetes.resource.ResourceDiscovery;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.CustomResourceDefinitions;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ControlPlaneTest
class InformerIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final KubernetesClient client;

	private final String namespace;

	private final List<Informer<?>> informers = new ArrayList<>();

	InformerIT(KubernetesClient client, @TestNamespace String namespace) {
		this.client = client;
		this.namespace = namespace;
	}

	@AfterEach
	void close() {
		this.informers.forEach(Informer::close);
		this.client.secrets().inNamespace(this.namespace).delete();
		this.client.configMaps().inNamespace(this.namespace).delete();
	}

	@Test
	void followsSecrets() {
		createSecret("a", Map.of());
		createSecret("b", Map.of());
		Recorder<Secret> recorder = new Recorder<>();
		Informer<Secret> informer = informer(
				InformerSpec.of(ResourceType.of(Secret.class)).inNamespaces(Set.of(this.namespace)), recorder);
		sync(informer);
		assertThat(recorder.events(InformerEvent.Added.class)).hasSize(2).allMatch(InformerEvent.Added::initial);

		createSecret("größe-ok".replace("ö", "oe").replace("ß", "ss"), Map.of());
		this.client.secrets().inNamespace(this.namespace).withName("a").edit((secret) -> {
			secret.getMetadata().setAnnotations(Map.of("note", "größe → 🚀"));
			return secret;
		});
		this.client.secrets().inNamespace(this.namespace).withName("b").delete();
		await().atMost(PATIENCE).until(() -> recorder.words().contains("removed b"));
		assertThat(recorder.words().subList(2, 5)).containsExactly("added groesse-ok", "updated a", "removed b");
		assertThat(recorder.state()).isEqualTo(stored(informer));

		Secret stored = informer.store().get(new ObjectKey(this.namespace, "a"));
		assertThat(stored.getMetadata().getAnnotations()).containsEntry("note", "größe → 🚀");
		assertThat(stored.getMetadata().getManagedFields()).isEmpty();
		assertThat(stored.getData()).containsEntry("key", Base64.getEncoder().encodeToString("a".getBytes()));
		Secret read = this.client.secrets().inNamespace(this.namespace).withName("a").get();
		read.getMetadata().setManagedFields(List.of());
		assertThat(stored).isEqualTo(read);
	}

	@Test
	void keepsManagedFieldsWhereAsked() {
		createSecret("a", Map.of());
		Informer<Secret> informer = informer(InformerSpec.of(ResourceType.of(Secret.class))
			.inNamespaces(Set.of(this.namespace))
			.keepManagedFields(true));
		sync(informer);
		assertThat(informer.store().get(new ObjectKey(this.namespace, "a")))
			.isEqualTo(this.client.secrets().inNamespace(this.namespace).withName("a").get());
	}

	@Test
	void keepsOnlyWhatIsLeftOfATrimmedObject() {
		createSecret("listed", Map.of());
		Informer<Secret> informer = informer(InformerSpec.of(ResourceType.of(Secret.class))
			.inNamespaces(Set.of(this.namespace))
			.withIndex("key", (secret) -> secret.getData().keySet())
			.trimmed((secret) -> secret.setData(Map.of("trimmed", ""))));
		sync(informer);
		createSecret("told", Map.of());
		await().atMost(PATIENCE).until(() -> informer.store().size() == 2);
		assertThat(informer.store().list())
			.allSatisfy((secret) -> assertThat(secret.getData()).containsOnlyKeys("trimmed"));
		assertThat(informer.store().byIndex("key", "trimmed")).hasSize(2);
	}

	@Test
	void followsCustomResourcesWithoutAClass() {
		CustomResourceDefinitions.apply(this.client, "/crds/widgets.yaml");
		ResourceType<GenericKubernetesResource> widgets = new ResourceDiscovery(this.client)
			.find(new GroupResource("test.sharding.dev", "widgets"))
			.join();
		assertThat(widgets.kind()).isEqualTo("Widget");
		createWidget("one");
		Informer<GenericKubernetesResource> informer = informer(
				InformerSpec.of(widgets).inNamespaces(Set.of(this.namespace)));
		sync(informer);
		createWidget("two");
		await().atMost(PATIENCE).until(() -> informer.store().size() == 2);
		assertThat(informer.store().list()).allSatisfy((widget) -> {
			assertThat(widget.getKind()).isEqualTo("Widget");
			assertThat(widget.getApiVersion()).isEqualTo("test.sharding.dev/v1");
			assertThat(widget.<String>get("spec", "size")).isEqualTo("large");
		});
		this.client.genericKubernetesResources("test.sharding.dev/v1", "Widget").inNamespace(this.namespace).delete();
	}

	@Test
	void readsBuiltInResourcesAsGenericOnes() {
		createSecret("a", Map.of());
		Informer<GenericKubernetesResource> informer = informer(
				InformerSpec.of(ResourceType.of(Secret.class).generic()).inNamespaces(Set.of(this.namespace)));
		sync(informer);
		assertThat(informer.store().list()).singleElement().satisfies((secret) -> {
			assertThat(secret.getKind()).isEqualTo("Secret");
			assertThat(secret.getApiVersion()).isEqualTo("v1");
		});
	}

	@Test
	void readsOnlyMetadataAndOnlyWhatTheLabelSays() {
		createSecret("mine", Map.of("shard", "a"));
		createSecret("other", Map.of("shard", "b"));
		Recorder<PartialObjectMetadata> recorder = new Recorder<>();
		Informer<PartialObjectMetadata> informer = informer(
				InformerSpec.of(ResourceType.of(Secret.class).metadata()).withLabelSelector("shard=a"), recorder);
		sync(informer);
		assertThat(recorder.words()).containsExactly("added mine");
		assertThat(informer.store().list()).singleElement()
			.satisfies((object) -> assertThat(object.getKind()).isEqualTo("PartialObjectMetadata"));

		label("other", "a");
		await().atMost(PATIENCE).until(() -> recorder.words().contains("added other"));
		label("mine", "b");
		await().atMost(PATIENCE).until(() -> recorder.words().contains("removed mine"));
		assertThat(recorder.events(InformerEvent.Removed.class)).singleElement()
			.satisfies((removed) -> assertThat(removed.finalStateUnknown()).isFalse());
		assertThat(informer.store().list()).extracting((object) -> object.getMetadata().getName())
			.containsExactly("other");
	}

	@Test
	void seesWhatNobodyAvailableOwns() {
		createSecret("unassigned", Map.of("watched", "yes"));
		createSecret("dead", Map.of("watched", "yes", "shard", "dead"));
		createSecret("alive", Map.of("watched", "yes", "shard", "alive"));
		Informer<PartialObjectMetadata> informer = informer(InformerSpec.of(ResourceType.of(Secret.class).metadata())
			.withLabelSelector("watched=yes,shard notin (alive,well)")
			.withFieldSelector("metadata.namespace!=kube-system,metadata.namespace!=sharding-system"));
		sync(informer);
		assertThat(informer.store().list()).extracting((object) -> object.getMetadata().getName())
			.containsExactlyInAnyOrder("unassigned", "dead");
		label("dead", "well");
		await().atMost(PATIENCE).until(() -> informer.store().size() == 1);
	}

	@Test
	void followsOneObjectByName() {
		createSecret("a", Map.of());
		createSecret("b", Map.of());
		Informer<Secret> informer = informer(InformerSpec.of(ResourceType.of(Secret.class))
			.inNamespaces(Set.of(this.namespace))
			.withFieldSelector("metadata.name=a"));
		sync(informer);
		assertThat(informer.store().list()).extracting((secret) -> secret.getMetadata().getName()).containsExactly("a");
		informer.refresh().orTimeout(60, TimeUnit.SECONDS).join();
	}

	@Test
	void followsSeveralNamespacesInOneStore() {
		String second = this.namespace + "-2";
		String third = this.namespace + "-3";
		for (String name : List.of(second, third)) {
			this.client.resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
				.create();
			create(name, "a");
		}
		create(this.namespace, "a");
		Recorder<ConfigMap> recorder = new Recorder<>();
		Informer<ConfigMap> informer = informer(InformerSpec.of(ResourceType.of(ConfigMap.class))
			.inNamespaces(Set.of(this.namespace, second))
			.withFieldSelector("metadata.name!=kube-root-ca.crt")
			.withIndex("data", (configMap) -> configMap.getData().values()), recorder);
		sync(informer);
		assertThat(informer.store().list()).extracting(ObjectKey::of)
			.containsExactlyInAnyOrder(new ObjectKey(this.namespace, "a"), new ObjectKey(second, "a"));
		assertThat(informer.store().list(second)).hasSize(1);
		assertThat(informer.store().byIndex("data", second + "/a")).hasSize(1);
		assertThat(informer.store().watermark(second)).isNotNull();
		assertThat(informer.store().watermark(third)).isNull();
		assertThat(recorder.events(InformerEvent.RelistFinished.class)).hasSize(2);

		create(second, "b");
		await().atMost(PATIENCE).until(() -> recorder.words().contains("added b"));
		assertThat(informer.status().relists()).isEqualTo(2);
	}

	@Test
	void refreshesUpToAWriteOfSomebodyElse() {
		Recorder<ConfigMap> recorder = new Recorder<>();
		Informer<ConfigMap> informer = informer(InformerSpec.of(ResourceType.of(ConfigMap.class))
			.inNamespaces(Set.of(this.namespace))
			.withFieldSelector("metadata.name!=kube-root-ca.crt"), recorder);
		sync(informer);
		for (int i = 0; i < 50; i++) {
			ConfigMap created = create(this.namespace, "object-" + i);
			informer.refresh().orTimeout(60, TimeUnit.SECONDS).join();
			assertThat(informer.store().get(ObjectKey.of(created))).isNotNull();
			assertThat(recorder.state()).containsKey(ObjectKey.of(created));
			this.client.resource(created).delete();
			informer.refresh().orTimeout(60, TimeUnit.SECONDS).join();
			assertThat(informer.store().size()).isZero();
			assertThat(recorder.state()).isEmpty();
		}
		assertThat(informer.status().relists()).isEqualTo(1);
	}

	@Test
	void whoeverWaitsForAVersionIsToldThatItIsClosed() {
		Informer<ConfigMap> informer = informer(InformerSpec.of(ResourceType.of(ConfigMap.class)));
		sync(informer);
		CompletableFuture<Void> reached = informer.reached("999999999999");
		CompletableFuture<Void> told = informer.told("999999999999", this.namespace);
		assertThat(reached).isNotDone();
		informer.close();
		assertThat(reached).isCancelled();
		assertThat(told).isCancelled();
		assertThat(informer.reached("1")).isCancelled();
	}

	@Test
	void givesLateHandlersWhatIsStored() {
		createSecret("a", Map.of());
		Informer<Secret> informer = informer(
				InformerSpec.of(ResourceType.of(Secret.class)).inNamespaces(Set.of(this.namespace)));
		sync(informer);
		informer.addHandler((event) -> {
			throw new IllegalStateException("broken handler");
		});
		Recorder<Secret> late = new Recorder<>();
		informer.addHandler(late);
		createSecret("b", Map.of());
		await().atMost(PATIENCE).until(() -> late.words().equals(List.of("added a", "added b")));
		assertThat(late.events(InformerEvent.Added.class)).extracting(InformerEvent.Added::initial)
			.containsExactly(true, false);
	}

	@Test
	void tellsAHandlerThatWasTakenOffNothingMore() {
		createSecret("a", Map.of());
		Informer<Secret> informer = informer(
				InformerSpec.of(ResourceType.of(Secret.class)).inNamespaces(Set.of(this.namespace)));
		sync(informer);
		Recorder<Secret> leaving = new Recorder<>();
		Recorder<Secret> staying = new Recorder<>();
		CompletableFuture<Void> told = new CompletableFuture<>();
		CompletableFuture<Void> leave = new CompletableFuture<>();
		informer.addHandler((event) -> leave.join());
		informer.addHandler(leaving);
		informer.addHandler(staying, () -> told.complete(null));
		createSecret("b", Map.of());
		await().atMost(PATIENCE).until(() -> informer.store().size() == 2);
		// What waits for it already, too.
		informer.removeHandler(leaving);
		assertThat(told).isNotDone();
		leave.complete(null);
		await().atMost(PATIENCE).until(() -> staying.words().equals(List.of("added a", "added b")));
		assertThat(told).isDone();
		assertThat(leaving.words()).isEmpty();
	}

	@Test
	@Tag("since-1.31")
	void tellsHowItFares() {
		Informer<Secret> informer = new Informer<>(this.client,
				InformerSpec.of(ResourceType.of(Secret.class))
					.inNamespaces(Set.of(this.namespace))
					.withTimings(InformerTimings.DEFAULT.withWatch(Duration.ofSeconds(4), Duration.ofSeconds(4))));
		this.informers.add(informer);
		assertThat(informer.status().synced()).isFalse();
		assertThat(informer.status().watermark()).isNull();
		Recorder<Secret> recorder = new Recorder<>();
		informer.addHandler(recorder);
		informer.start();
		sync(informer);
		await().atMost(PATIENCE).until(() -> informer.status().watching());
		String first = informer.status().watermark();
		assertThat(first).isNotNull();
		assertThat(informer.status().failingSince()).isNull();
		// Something that the watch does not tell, but the next bookmark does.
		create(this.namespace, "elsewhere");
		this.client.secrets().inAnyNamespace().list();
		await().atMost(PATIENCE)
			.until(() -> !recorder.events(InformerEvent.Bookmark.class).isEmpty()
					&& !first.equals(informer.status().watermark()));
		assertThat(informer.status().relists()).isEqualTo(1);
	}

	@SafeVarargs
	private <T extends HasMetadata> Informer<T> informer(InformerSpec<T> spec, Recorder<T>... recorders) {
		Informer<T> informer = new Informer<>(this.client, spec);
		this.informers.add(informer);
		List.of(recorders).forEach(informer::addHandler);
		informer.start();
		return informer;
	}

	private static void sync(Informer<?> informer) {
		informer.synced().orTimeout(60, TimeUnit.SECONDS).join();
	}

	private static <T extends HasMetadata> Map<ObjectKey, T> stored(Informer<T> informer) {
		return informer.store()
			.list()
			.stream()
			.collect(java.util.stream.Collectors.toMap(ObjectKey::of, (object) -> object));
	}

	private void createSecret(String name, Map<String, String> labels) {
		this.client
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.withLabels(labels)
				.endMetadata()
				.withStringData(Map.of("key", name))
				.build())
			.create();
	}

	private ConfigMap create(String inNamespace, String name) {
		return this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(inNamespace)
				.withName(name)
				.endMetadata()
				.withData(Map.of("key", inNamespace + "/" + name))
				.build())
			.create();
	}

	private void createWidget(String name) {
		GenericKubernetesResource widget = new GenericKubernetesResource();
		widget.setApiVersion("test.sharding.dev/v1");
		widget.setKind("Widget");
		widget.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withNamespace(this.namespace)
			.withName(name)
			.build());
		widget.setAdditionalProperty("spec", Map.of("size", "large"));
		this.client.resource(widget).create();
	}

	private void label(String name, String shard) {
		this.client.secrets().inNamespace(this.namespace).withName(name).edit((secret) -> {
			secret.getMetadata().getLabels().put("shard", shard);
			return secret;
		});
	}

}
