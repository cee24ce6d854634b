package dev.sharding.internal.kubernetes.informer.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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
	void equalLabelsAreOneMapThatCannotBeChanged() {
		ConfigMap one = slimmed(labelled("a", Map.of("team", "blue", "tier", "1")));
		ConfigMap other = slimmed(labelled("b", Map.of("tier", "1", "team", "blue")));
		ConfigMap different = slimmed(labelled("c", Map.of("team", "blue", "tier", "2")));
		Map<String, String> labels = one.getMetadata().getLabels();
		assertThat(labels).isSameAs(other.getMetadata().getLabels())
			.containsExactly(Map.entry("team", "blue"), Map.entry("tier", "1"))
			.isNotEqualTo(different.getMetadata().getLabels());
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> labels.put("team", "red"));
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(labels::clear);
	}

	@Test
	void aFewEntriesAreFoundAsInAnyMap() {
		Map<String, @Nullable String> map = new LinkedHashMap<>();
		map.put("b", "1");
		map.put("a", null);
		map.put("c", "3");
		Map<String, String> compact = new CompactMap<>(CompactMap.pairs(map));
		assertThat(compact).isEqualTo(map).hasSameHashCodeAs(map).hasToString("{b=1, a=null, c=3}").hasSize(3);
		assertThat(map).isEqualTo(compact);
		assertThat(compact.get("c")).isEqualTo("3");
		assertThat(compact.get("a")).isNull();
		assertThat(compact.get("d")).isNull();
		assertThat(compact.get(null)).isNull();
		assertThat(compact.containsKey("a")).isTrue();
		assertThat(compact.containsKey("1")).isFalse();
		assertThat(compact.containsValue(null)).isTrue();
		assertThat(compact.getOrDefault("d", "4")).isEqualTo("4");
		assertThat(compact.keySet()).containsExactly("b", "a", "c");
		assertThat(compact.values()).containsExactly("1", null, "3");
	}

	@Test
	void listsHaveNoRoomToSpare() {
		ConfigMap object = slimmed(configMap("a"));
		ConfigMap other = slimmed(configMap("b"));
		assertThat(object.getMetadata().getFinalizers()).isSameAs(other.getMetadata().getFinalizers());
		assertThat(object.getMetadata().getManagedFields()).isSameAs(other.getMetadata().getManagedFields());
		assertThat(object.getMetadata().getOwnerReferences()).isNotInstanceOf(ArrayList.class)
			.isEqualTo(configMap("a").getMetadata().getOwnerReferences());
	}

	@Test
	void manyEntriesStayInATable() {
		Map<String, String> many = new TreeMap<>();
		for (int i = 0; i < 20; i++) {
			many.put("key-" + i, "value-" + i);
		}
		ConfigMap object = slimmed(labelled("a", many));
		assertThat(object.getMetadata().getLabels()).isInstanceOf(LinkedHashMap.class).isEqualTo(many);
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
		copy.getMetadata().getOwnerReferences().clear();
		copy.getMetadata().getFinalizers().add("more");
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

	private ConfigMap slimmed(ConfigMap object) {
		ConfigMap parsed = parsed(object);
		this.slimmer.slim(parsed);
		return parsed;
	}

	private static ConfigMap labelled(String name, Map<String, String> labels) {
		return new ConfigMapBuilder(configMap(name)).editMetadata()
			.withLabels(new TreeMap<>(labels))
			.endMetadata()
			.build();
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
