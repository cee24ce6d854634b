package dev.sharding.kubernetes.informer;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes an object smaller that is to be kept: the parser makes half a dozen empty maps
 * for each, a table of 16 places for a single label, and a new string for each namespace
 * and label value. Says nothing else than before, but the object cannot be changed
 * everywhere any more. Safe for use by many threads: who loses a race shares less.
 */
final class ObjectSlimmer {

	private static final Field[] NO_FIELDS = {};

	private static final ClassValue<Field[]> FIELDS = new ClassValue<>() {
		@Override
		protected Field[] computeValue(Class<?> type) {
			return ownFields(type);
		}
	};

	private static final int REMEMBERED = 1024;

	/** Strings seen of late, each in the place that its hash code names. */
	private final @Nullable String[] strings = new @Nullable String[REMEMBERED];

	/**
	 * Slims {@code object}.
	 * @param object an object that nobody else knows yet
	 */
	void slim(HasMetadata object) {
		ObjectMeta metadata = object.getMetadata();
		metadata.setNamespace(share(metadata.getNamespace()));
		metadata.setCreationTimestamp(share(metadata.getCreationTimestamp()));
		metadata.setLabels(slim(shareValues(metadata.getLabels())));
		metadata.setAnnotations(slim(metadata.getAnnotations()));
		metadata.setAdditionalProperties(slim(metadata.getAdditionalProperties()));
		if (metadata.getOwnerReferences() != null) {
			for (OwnerReference owner : metadata.getOwnerReferences()) {
				owner.setApiVersion(share(owner.getApiVersion()));
				owner.setKind(share(owner.getKind()));
				owner.setAdditionalProperties(slim(owner.getAdditionalProperties()));
			}
		}
		slimFields(object);
	}

	private void slimFields(HasMetadata object) {
		try {
			for (Field field : FIELDS.get(object.getClass())) {
				Object value = field.get(object);
				if (value instanceof String text) {
					field.set(object, share(text));
				}
				else if (value instanceof LinkedHashMap<?, ?> map && map.size() < 2) {
					field.set(object, slim(map));
				}
			}
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException("Failed to access a field that was made accessible", ex);
		}
	}

	private @Nullable Map<String, String> shareValues(@Nullable Map<String, String> map) {
		if (map != null) {
			map.replaceAll((key, value) -> (value != null) ? known(value) : value);
		}
		return map;
	}

	private static <K, V> @Nullable Map<K, V> slim(@Nullable Map<K, V> map) {
		if (map == null || map.size() > 1) {
			return map;
		}
		if (map.isEmpty()) {
			return Collections.emptyMap();
		}
		Map.Entry<K, V> only = map.entrySet().iterator().next();
		return Collections.singletonMap(only.getKey(), only.getValue());
	}

	private @Nullable String share(@Nullable String text) {
		return (text != null) ? known(text) : null;
	}

	private String known(String text) {
		int hash = text.hashCode();
		int place = (hash ^ (hash >>> 16)) & (REMEMBERED - 1);
		String known = this.strings[place];
		if (known != null && known.equals(text)) {
			return known;
		}
		this.strings[place] = text;
		return text;
	}

	/** The fields of the model class itself that may hold what is slimmed. */
	private static Field[] ownFields(Class<?> type) {
		List<Field> fields = new ArrayList<>();
		try {
			for (Field field : type.getDeclaredFields()) {
				boolean changeable = !Modifier.isStatic(field.getModifiers())
						&& !Modifier.isFinal(field.getModifiers());
				if (changeable && (field.getType() == String.class || field.getType() == Map.class)) {
					field.setAccessible(true);
					fields.add(field);
				}
			}
		}
		catch (RuntimeException ex) {
			// A class in a module that is closed to us stays as it is.
			return NO_FIELDS;
		}
		return fields.toArray(NO_FIELDS);
	}

}
