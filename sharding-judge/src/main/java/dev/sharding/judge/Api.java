package dev.sharding.judge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import org.jspecify.annotations.Nullable;

/** What the judge asks the API server for: the ring, and the objects at the end. */
final class Api {

	private final KubernetesClient client;

	Api(KubernetesClient client) {
		this.client = client;
	}

	RingUnderTest ring(String name) {
		GenericKubernetesResource ring = this.client
			.genericKubernetesResources("sharding.timebertt.dev/v1alpha1", "ControllerRing")
			.withName(name)
			.get();
		if (ring == null) {
			throw new IllegalStateException("There is no ControllerRing '" + name + "'");
		}
		List<ResourceId> main = new ArrayList<>();
		List<ResourceId> controlled = new ArrayList<>();
		Map<?, ?> spec = (Map<?, ?>) ring.getAdditionalProperties().getOrDefault("spec", Map.of());
		for (Map<?, ?> resource : maps(spec, "resources")) {
			main.add(resource(resource));
			maps(resource, "controlledResources").forEach((child) -> controlled.add(resource(child)));
		}
		return new RingUnderTest(name, main, controlled, namespaces(name, (Map<?, ?>) spec.get("namespaceSelector")));
	}

	/** The namespaces that the selector of a ring selects, empty without one. */
	private Set<String> namespaces(String ring, @Nullable Map<?, ?> selector) {
		if (selector == null) {
			return Set.of();
		}
		if (!(selector.get("matchLabels") instanceof Map<?, ?> labels) || selector.size() != 1) {
			throw new IllegalStateException("Ring '" + ring + "' selects namespaces by more than labels: " + selector);
		}
		Map<String, String> wanted = new HashMap<>();
		labels.forEach((key, value) -> wanted.put(String.valueOf(key), String.valueOf(value)));
		Set<String> names = new HashSet<>();
		this.client.namespaces()
			.withLabels(wanted)
			.list()
			.getItems()
			.forEach((namespace) -> names.add(namespace.getMetadata().getName()));
		if (names.isEmpty()) {
			throw new IllegalStateException("Ring '" + ring + "' selects no namespace: " + selector);
		}
		return names;
	}

	private static List<Map<?, ?>> maps(Map<?, ?> map, String key) {
		List<Map<?, ?>> maps = new ArrayList<>();
		Object value = map.get(key);
		if (value instanceof List<?> list) {
			list.forEach((item) -> maps.add((Map<?, ?>) item));
		}
		return maps;
	}

	private ResourceId resource(Map<?, ?> item) {
		String group = Objects.toString(item.get("group"), "");
		String resource = Objects.toString(item.get("resource"), "");
		return this.client.getApiResources(version(group))
			.getResources()
			.stream()
			.filter((found) -> found.getName().equals(resource))
			.map(APIResource::getKind)
			.map((kind) -> new ResourceId(group, resource, kind))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The API server has no resource " + resource + "." + group));
	}

	private String version(String group) {
		if (group.isEmpty()) {
			return "v1";
		}
		APIGroup found = this.client.getApiGroup(group);
		if (found == null) {
			throw new IllegalStateException("The API server has no group " + group);
		}
		return found.getPreferredVersion().getGroupVersion();
	}

	/** All objects of the resource in the scope of the ring. */
	List<LiveObject> list(RingUnderTest ring, ResourceId id) {
		String groupVersion = version(id.group());
		ResourceDefinitionContext context = new ResourceDefinitionContext.Builder().withGroup(id.group())
			.withVersion(groupVersion.substring(groupVersion.indexOf('/') + 1))
			.withPlural(id.resource())
			.withKind(id.kind())
			.withNamespaced(true)
			.build();
		List<LiveObject> objects = new ArrayList<>();
		for (GenericKubernetesResource item : this.client.genericKubernetesResources(context)
			.inAnyNamespace()
			.list()
			.getItems()) {
			LiveObject object = object(id, item);
			if (ring.isMain(object.ref()) || ring.isControlled(object.ref())) {
				objects.add(object);
			}
		}
		return objects;
	}

	private static LiveObject object(ResourceId id, GenericKubernetesResource item) {
		Map<String, String> data = new HashMap<>();
		if (item.getAdditionalProperties().get("data") instanceof Map<?, ?> map) {
			map.forEach((key, value) -> data.put(String.valueOf(key), String.valueOf(value)));
		}
		String controller = null;
		for (OwnerReference reference : item.getMetadata().getOwnerReferences()) {
			if (Boolean.TRUE.equals(reference.getController())) {
				controller = reference.getUid();
			}
		}
		ObjectRef ref = new ObjectRef(id.group(), id.resource(),
				Objects.toString(item.getMetadata().getNamespace(), ""), item.getMetadata().getName());
		return new LiveObject(ref, item.getMetadata().getUid(), item.getMetadata().getResourceVersion(), controller,
				item.getMetadata().getDeletionTimestamp() != null,
				Objects.requireNonNullElse(item.getMetadata().getLabels(), Map.of()), data);
	}

}
