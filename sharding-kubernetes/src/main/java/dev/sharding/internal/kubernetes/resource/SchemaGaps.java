package dev.sharding.internal.kubernetes.resource;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import io.fabric8.kubernetes.client.CustomResource;
import org.jspecify.annotations.Nullable;

import dev.sharding.resource.ResourceType;

/**
 * Finds what a class of a custom resource can hold and its CustomResourceDefinition does
 * not know. The API server drops such fields from whatever is written, without a word:
 * the definition is older than the class.
 */
public final class SchemaGaps {

	private static final int DEEPEST = 12;

	private static final ObjectMapper MAPPER = new ObjectMapper();

	private SchemaGaps() {
	}

	/**
	 * The fields of specification and status that are read into the class, and that the
	 * schema lacks.
	 * @param type the resource; of one whose class is no {@link CustomResource} there is
	 * nothing to say
	 * @param openApi what the API server publishes for the version of the group, at
	 * {@code /openapi/v3} and the path of the version
	 * @return paths such as {@code spec.text}; empty if there are none, or if the
	 * resource is not in the document
	 */
	public static Set<String> of(ResourceType<?> type, Map<?, ?> openApi) {
		Set<String> gaps = new TreeSet<>();
		Map<?, ?> schema = schemaOf(type, openApi);
		if (schema != null && CustomResource.class.isAssignableFrom(type.javaType())) {
			JavaType resource = MAPPER.constructType(type.javaType()).findSuperType(CustomResource.class);
			Map<?, ?> properties = below(schema, "properties");
			look("spec", resource.containedTypeOrUnknown(0), below(properties, "spec"), gaps, 0);
			look("status", resource.containedTypeOrUnknown(1), below(properties, "status"), gaps, 0);
		}
		return gaps;
	}

	private static @Nullable Map<?, ?> schemaOf(ResourceType<?> type, Map<?, ?> openApi) {
		Map<String, String> wanted = Map.of("group", type.group(), "version", type.version(), "kind", type.kind());
		for (Object schema : below(below(openApi, "components"), "schemas").values()) {
			if (schema instanceof Map<?, ?> map
					&& map.get("x-kubernetes-group-version-kind") instanceof Iterable<?> kinds) {
				for (Object kind : kinds) {
					if (wanted.equals(kind)) {
						return map;
					}
				}
			}
		}
		return null;
	}

	private static void look(String path, JavaType type, Map<?, ?> schema, Set<String> gaps, int depth) {
		if (depth > DEEPEST || Boolean.TRUE.equals(schema.get("x-kubernetes-preserve-unknown-fields"))) {
			return;
		}
		if (type.isCollectionLikeType() || type.isArrayType()) {
			look(path + "[]", Objects.requireNonNull(type.getContentType()), below(schema, "items"), gaps, depth + 1);
			return;
		}
		Map<?, ?> properties = below(schema, "properties");
		if (type.isMapLikeType() || !isOfUser(type.getRawClass()) || properties.isEmpty()) {
			return;
		}
		for (BeanPropertyDefinition property : MAPPER.getDeserializationConfig().introspect(type).findProperties()) {
			if (!property.couldDeserialize()) {
				continue;
			}
			String below = path + '.' + property.getName();
			if (properties.get(property.getName()) instanceof Map<?, ?> known) {
				look(below, property.getPrimaryType(), known, gaps, depth + 1);
			}
			else {
				gaps.add(below);
			}
		}
	}

	/* What fabric8 and Java bring is older or newer for reasons of its own. */
	private static boolean isOfUser(Class<?> type) {
		return !type.isPrimitive() && !type.isEnum() && !type.getName().startsWith("java.")
				&& !type.getName().startsWith("io.fabric8.");
	}

	private static Map<?, ?> below(Map<?, ?> map, String name) {
		return (map.get(name) instanceof Map<?, ?> found) ? found : Map.of();
	}

}
