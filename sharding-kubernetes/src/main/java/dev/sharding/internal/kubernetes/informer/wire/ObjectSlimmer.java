package dev.sharding.internal.kubernetes.informer.wire;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes an object smaller that is to be kept: the parser makes half a dozen empty maps
 * and lists for each, a table of 16 places for a few labels, room for ten owners, and a
 * new string for each namespace and label value. Says nothing else than before, but the
 * object cannot be changed everywhere any more. Safe for use by many threads: who loses a
 * race shares less.
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

	private static final int LABELS_REMEMBERED = 128;

	/** Strings seen of late, each in the place that its hash code names. */
	private final @Nullable String[] strings = new @Nullable String[REMEMBERED];

	/** The same for labels: many objects bear equal ones. */
	private final AtomicReferenceArray<CompactMap<?, ?>> labels = new AtomicReferenceArray<>(LABELS_REMEMBERED);

	/**
	 * Slims {@code object}.
	 * @param object an object that nobody else knows yet
	 */
	void slim(HasMetadata object) {
		ObjectMeta metadata = object.getMetadata();
		metadata.setNamespace(share(metadata.getNamespace()));
		metadata.setCreationTimestamp(share(metadata.getCreationTimestamp()));
		metadata.setLabels(share(metadata.getLabels()));
		metadata.setAnnotations(slim(metadata.getAnnotations()));
		metadata.setAdditionalProperties(slim(metadata.getAdditionalProperties()));
		metadata.setFinalizers(slim(metadata.getFinalizers()));
		metadata.setManagedFields(slim(metadata.getManagedFields()));
		metadata.setOwnerReferences(slim(metadata.getOwnerReferences()));
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
				else if (value instanceof LinkedHashMap<?, ?> map && map.getClass() == LinkedHashMap.class) {
					field.set(object, slim(map));
				}
				else if (value instanceof ArrayList<?> list && list.getClass() == ArrayList.class) {
					field.set(object, slim(list));
				}
			}
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException("Failed to access a field that was made accessible", ex);
		}
	}

	@SuppressWarnings("unchecked")
	private @Nullable Map<String, String> share(@Nullable Map<String, String> map) {
		if (map == null || map.isEmpty() || map.size() > CompactMap.MOST) {
			return slim(map);
		}
		@Nullable Object[] pairs = CompactMap.pairs(map);
		for (int i = 1; i < pairs.length; i += 2) {
			pairs[i] = share((String) pairs[i]);
		}
		int place = place(Arrays.hashCode(pairs), LABELS_REMEMBERED);
		CompactMap<?, ?> known = this.labels.get(place);
		if (known == null || !known.has(pairs)) {
			known = new CompactMap<>(pairs);
			this.labels.set(place, known);
		}
		return (Map<String, String>) known;
	}

	private static <K, V> @Nullable Map<K, V> slim(@Nullable Map<K, V> map) {
		if (map == null || map.size() > CompactMap.MOST) {
			return map;
		}
		if (map.isEmpty()) {
			return Collections.emptyMap();
		}
		if (map.size() > 1) {
			return new CompactMap<>(CompactMap.pairs(map));
		}
		Map.Entry<K, V> only = map.entrySet().iterator().next();
		return Collections.singletonMap(only.getKey(), only.getValue());
	}

	private static <E> @Nullable List<E> slim(@Nullable List<E> list) {
		if (!(list instanceof ArrayList<E> grown)) {
			return list;
		}
		if (grown.size() < 2) {
			return grown.isEmpty() ? Collections.emptyList() : Collections.singletonList(grown.get(0));
		}
		grown.trimToSize();
		return grown;
	}

	private @Nullable String share(@Nullable String text) {
		return (text != null) ? known(text) : null;
	}

	private String known(String text) {
		int place = place(text.hashCode(), REMEMBERED);
		String known = this.strings[place];
		if (known != null && known.equals(text)) {
			return known;
		}
		this.strings[place] = text;
		return text;
	}

	private static int place(int hash, int places) {
		return (hash ^ (hash >>> 16)) & (places - 1);
	}

	/** The fields of the model class itself that may hold what is slimmed. */
	private static Field[] ownFields(Class<?> type) {
		List<Field> fields = new ArrayList<>();
		try {
			for (Field field : type.getDeclaredFields()) {
				boolean changeable = !Modifier.isStatic(field.getModifiers())
						&& !Modifier.isFinal(field.getModifiers());
				if (changeable && (field.getType() == String.class || field.getType() == Map.class
						|| field.getType() == List.class)) {
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
