package dev.sharding.kubernetes.informer;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

import dev.sharding.kubernetes.cache.ObjectCopier;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectSlimmerTests {

	private final KubernetesSerialization serialization = new KubernetesSerialization();

	private final ObjectSlimmer slimmer = new ObjectSlimmer();

	@Test
	void saysTheSameAsBefore() {
		ConfigMap object = configMap("a");
		String before = this.serialization.asJson(object);
		this.slimmer.slim(object);
		assertThat(this.serialization.asJson(object)).isEqualTo(before);
		assertThat(object).isEqualTo(configMap("a"));
	}

	@Test
	void objectsShareWhatTheyHaveInCommon() {
		ConfigMap one = parsed(configMap("a"));
		ConfigMap other = parsed(configMap("b"));
		assertThat(one.getMetadata().getNamespace()).isNotSameAs(other.getMetadata().getNamespace());
		this.slimmer.slim(one);
		this.slimmer.slim(other);
		assertThat(one.getMetadata().getNamespace()).isSameAs(other.getMetadata().getNamespace());
		assertThat(one.getMetadata().getLabels().get("team")).isSameAs(other.getMetadata().getLabels().get("team"));
		assertThat(one.getMetadata().getOwnerReferences().get(0).getKind())
			.isSameAs(other.getMetadata().getOwnerReferences().get(0).getKind());
		assertThat(one.getKind()).isSameAs(other.getKind());
		assertThat(one.getBinaryData()).isSameAs(other.getBinaryData());
	}

	@Test
	void aCopyCanBeChanged() {
		ConfigMap object = parsed(configMap("a"));
		this.slimmer.slim(object);
		ConfigMap copy = new ObjectCopier(this.serialization).copy(object);
		copy.getMetadata().getLabels().put("more", "x");
		copy.getMetadata().getAnnotations().put("more", "x");
		copy.getData().put("more", "x");
		copy.getBinaryData().put("more", "eA==");
		copy.getAdditionalProperties().put("more", "x");
		copy.getMetadata().getOwnerReferences().get(0).getAdditionalProperties().put("more", "x");
		assertThat(object).isEqualTo(configMap("a"));
		ConfigMap built = new ConfigMapBuilder(object).addToData("more", "x")
			.editMetadata()
			.addToLabels("more", "x")
			.addToAnnotations("more", "x")
			.endMetadata()
			.build();
		assertThat(built.getData()).hasSize(2);
	}

	@Test
	void takesObjectsWithoutAClass() {
		GenericKubernetesResource object = new GenericKubernetesResourceBuilder().withApiVersion("example.org/v1")
			.withKind("Thing")
			.withNewMetadata()
			.withName("a")
			.endMetadata()
			.addToAdditionalProperties("spec", Map.of("size", 3))
			.build();
		String before = this.serialization.asJson(object);
		this.slimmer.slim(object);
		assertThat(this.serialization.asJson(object)).isEqualTo(before);
		GenericKubernetesResource copy = new ObjectCopier(this.serialization).copy(object);
		copy.setAdditionalProperty("more", "x");
		assertThat(this.serialization.asJson(object)).isEqualTo(before);
	}

	private ConfigMap parsed(ConfigMap object) {
		return this.serialization.unmarshal(this.serialization.asJson(object), ConfigMap.class);
	}

	private static ConfigMap configMap(String name) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace("default")
			.withName(name)
			.addToLabels("team", "blue")
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName("owner")
			.withUid("uid")
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.addToData("k", "v")
			.build();
	}

}
