package dev.sharding.internal.kubernetes.cache.read;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.Gadget;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectCopierTests {

	private final KubernetesSerialization serialization = new KubernetesSerialization();

	private final ObjectCopier copier = new ObjectCopier(this.serialization);

	@Test
	void copiesASecret() {
		Secret secret = new SecretBuilder().withNewMetadata()
			.withNamespace("ns")
			.withName("a")
			.addToLabels("l", "1")
			.addToAdditionalProperties("unknown", new LinkedHashMap<>(Map.of("x", 1)))
			.addNewOwnerReference()
			.withUid("u")
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.addToData("k", "dg==")
			.withImmutable(false)
			.build();
		Secret copy = copied(secret);
		copy.getMetadata().getLabels().put("l", "2");
		copy.getMetadata().getOwnerReferences().get(0).setUid("other");
		copy.getData().clear();
		copy.getMetadata().getAdditionalProperties().clear();
		assertThat(secret.getMetadata().getLabels()).containsEntry("l", "1");
		assertThat(secret.getMetadata().getOwnerReferences().get(0).getUid()).isEqualTo("u");
		assertThat(secret.getData()).containsKey("k");
		assertThat(secret.getMetadata().getAdditionalProperties()).containsKey("unknown");
	}

	@Test
	void copiesWhatTheStoreKeepsWithoutARoundTrip() {
		KubernetesSerialization refusing = new KubernetesSerialization() {
			@Override
			public <T> T clone(T object) {
				throw new AssertionError("a round trip of " + object);
			}
		};
		Secret kept = new ObjectDecoder<>(this.serialization, ResourceType.of(Secret.class), false).slimming()
			.decode("""
					{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"ns","uid":"u",\
					"labels":{"l":"1","m":"2"},"annotations":{"n":"3"},"finalizers":["f"],\
					"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"o"}]},\
					"type":"Opaque","data":{"k":"dg=="}}""".getBytes(StandardCharsets.UTF_8));
		Secret copy = new ObjectCopier(refusing).copy(kept);
		assertThat(copy).isEqualTo(kept);
		copy.getMetadata().getLabels().put("l", "2");
		copy.getMetadata().getFinalizers().add("g");
		copy.getData().clear();
		assertThat(kept.getMetadata().getLabels()).containsEntry("l", "1");
		assertThat(kept.getMetadata().getFinalizers()).containsExactly("f");
		assertThat(kept.getData()).containsKey("k");
	}

	@Test
	void copiesADeepObject() {
		Deployment deployment = new DeploymentBuilder().withNewMetadata()
			.withName("d")
			.endMetadata()
			.withNewSpec()
			.withReplicas(3)
			.withNewStrategy()
			.withNewRollingUpdate()
			.withNewMaxSurge("25%")
			.endRollingUpdate()
			.endStrategy()
			.withNewTemplate()
			.withNewSpec()
			.addNewContainer()
			.withName("c")
			.withNewResources()
			.addToLimits("cpu", new Quantity("100m"))
			.endResources()
			.endContainer()
			.endSpec()
			.endTemplate()
			.endSpec()
			.build();
		Deployment copy = copied(deployment);
		copy.getSpec().getTemplate().getSpec().getContainers().get(0).getResources().getLimits().clear();
		copy.getSpec().getTemplate().getSpec().getContainers().get(0).setName("changed");
		assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().get(0).getName()).isEqualTo("c");
		assertThat(deployment.getSpec().getTemplate().getSpec().getContainers().get(0).getResources().getLimits())
			.containsKey("cpu");
	}

	@Test
	@SuppressWarnings("unchecked")
	void copiesAGenericObject() {
		GenericKubernetesResource widget = this.serialization.unmarshal("""
				{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},
				 "spec":{"list":[{"a":1},{"b":[true,null,2.5]}],"text":"t"}}""", GenericKubernetesResource.class);
		GenericKubernetesResource copy = copied(widget);
		Map<String, Object> spec = (Map<String, Object>) copy.getAdditionalProperties().get("spec");
		((List<Map<String, Object>>) spec.get("list")).get(0).put("a", 2);
		assertThat(widget.<Integer>get("spec", "list", 0, "a")).isEqualTo(1);
	}

	@Test
	void copiesACustomResourceWhateverItIsMadeOf() {
		Gadget gadget = new Gadget();
		gadget.getMetadata().setName("g");
		Gadget.Spec spec = new Gadget.Spec();
		spec.setSize(7);
		gadget.setSpec(spec);
		Gadget plain = copied(gadget);
		plain.getSpec().setSize(8);
		assertThat(gadget.getSpec().getSize()).isEqualTo(7);

		spec.setParts(List.of(new Gadget.Part("p", new LinkedHashMap<>(Map.of("k", "v")))));
		spec.setColours(new LinkedHashSet<>(Set.of("red")));
		Gadget withRecords = this.copier.copy(gadget);
		withRecords.getSpec().getParts().get(0).options().put("k", "changed");
		withRecords.getSpec().getColours().add("blue");
		assertThat(withRecords.getSpec().getParts().get(0).name()).isEqualTo("p");
		assertThat(gadget.getSpec().getParts().get(0).options()).containsEntry("k", "v");
		assertThat(gadget.getSpec().getColours()).containsExactly("red");
	}

	@Test
	void keepsWhatIsNullNull() {
		Secret secret = new Secret();
		secret.setMetadata(null);
		assertThat(this.copier.copy(secret).getMetadata()).isNull();
	}

	private <T extends HasMetadata> T copied(T object) {
		T copy = this.copier.copy(object);
		assertThat(copy).isNotSameAs(object).isExactlyInstanceOf(object.getClass());
		assertThat(this.serialization.asJson(copy)).isEqualTo(this.serialization.asJson(object));
		return copy;
	}

}
