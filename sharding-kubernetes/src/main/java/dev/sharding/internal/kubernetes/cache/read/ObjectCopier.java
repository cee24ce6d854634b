package dev.sharding.internal.kubernetes.cache.read;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;

/**
 * Makes deep copies of Kubernetes objects, so that what a cache hands out can be
 * modified.
 *
 * The fields of a class are looked up once, so a copy takes a fraction of a round trip
 * through JSON. Strings and other immutable values are shared. What cannot be copied
 * field by field (records, classes without a default constructor, unknown collections)
 * falls back to the round trip.
 */
public final class ObjectCopier {

	private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
		@Override
		protected Shape computeValue(Class<?> type) {
			return Shape.of(type);
		}
	};

	/** Where stored objects get their maps from. */
	private static final String DECODED = ObjectDecoder.class.getPackageName() + ".";

	private final KubernetesSerialization serialization;

	/**
	 * Creates a copier.
	 * @param serialization makes the copies that need a round trip
	 */
	public ObjectCopier(KubernetesSerialization serialization) {
		this.serialization = serialization;
	}

	/**
	 * Copies {@code object} with everything below it.
	 * @param <T> the class of the object
	 * @param object the object
	 * @return a copy that shares nothing modifiable with it
	 */
	@SuppressWarnings("unchecked")
	public <T extends HasMetadata> T copy(T object) {
		try {
			return (T) Objects.requireNonNull(copyOf(object));
		}
		catch (NotCopyableException | ReflectiveOperationException ex) {
			return this.serialization.clone(object);
		}
	}

	private static @Nullable Object copyOf(@Nullable Object value)
			throws NotCopyableException, ReflectiveOperationException {
		if (value == null || value instanceof String) {
			return value;
		}
		if (value instanceof Map<?, ?> map) {
			return copyOfMap(map);
		}
		if (value instanceof Collection<?> collection) {
			return copyOfList(collection);
		}
		Shape shape = SHAPES.get(value.getClass());
		return shape.immutable() ? value : copyOfFields(value, shape);
	}

	private static Map<Object, @Nullable Object> copyOfMap(Map<?, ?> map)
			throws NotCopyableException, ReflectiveOperationException {
		String origin = map.getClass().getName();
		if (map instanceof SortedMap || !(origin.startsWith("java.util.") || origin.startsWith(DECODED))) {
			throw new NotCopyableException();
		}
		Map<Object, @Nullable Object> copy = new LinkedHashMap<>(map.size() * 4 / 3 + 1);
		for (Map.Entry<?, ?> entry : map.entrySet()) {
			copy.put(entry.getKey(), copyOf(entry.getValue()));
		}
		return copy;
	}

	private static List<@Nullable Object> copyOfList(Collection<?> collection)
			throws NotCopyableException, ReflectiveOperationException {
		if (!(collection instanceof List<?>)) {
			throw new NotCopyableException();
		}
		List<@Nullable Object> copy = new ArrayList<>(collection.size());
		for (Object element : collection) {
			copy.add(copyOf(element));
		}
		return copy;
	}

	private static Object copyOfFields(Object value, Shape shape)
			throws NotCopyableException, ReflectiveOperationException {
		Constructor<?> constructor = shape.constructor();
		if (constructor == null) {
			throw new NotCopyableException();
		}
		Object copy = constructor.newInstance();
		for (Field field : shape.fields()) {
			Object part = field.get(value);
			if (part == null) {
				if (field.get(copy) != null) {
					field.set(copy, null);
				}
			}
			else if (!isSameEmpty(part, field, copy)) {
				field.set(copy, copyOf(part));
			}
		}
		for (Field field : shape.finalFields()) {
			if (!Objects.equals(field.get(value), field.get(copy))) {
				throw new NotCopyableException();
			}
		}
		return copy;
	}

	/*
	 * The default constructors of the model make an empty map and lists for each object:
	 * use those.
	 */
	private static boolean isSameEmpty(Object part, Field field, Object copy) throws IllegalAccessException {
		if (part instanceof Map<?, ?> map && map.isEmpty()) {
			return field.get(copy) instanceof Map<?, ?> own && own.isEmpty();
		}
		return part instanceof Collection<?> list && list.isEmpty() && field.get(copy) instanceof Collection<?> own
				&& own.isEmpty();
	}

	/**
	 * What is known of a class.
	 *
	 * @param immutable whether its instances may be shared
	 * @param constructor its default constructor, {@code null} if instances cannot be
	 * copied field by field
	 * @param fields the fields to copy
	 * @param finalFields the fields that the constructor must have set to the same
	 */
	private record Shape(boolean immutable, @Nullable Constructor<?> constructor, Field[] fields, Field[] finalFields) {

		private static final Field[] NO_FIELDS = {};

		static Shape of(Class<?> type) {
			if (isImmutable(type)) {
				return new Shape(true, null, NO_FIELDS, NO_FIELDS);
			}
			try {
				return ofBean(type);
			}
			catch (ReflectiveOperationException | RuntimeException ex) {
				return new Shape(false, null, NO_FIELDS, NO_FIELDS);
			}
		}

		private static boolean isImmutable(Class<?> type) {
			return Enum.class.isAssignableFrom(type) || type == Boolean.class || type == Character.class
					|| type.getName().startsWith("java.time.") || (Number.class.isAssignableFrom(type)
							&& (type.getName().startsWith("java.lang.") || type.getName().startsWith("java.math.")));
		}

		private static Shape ofBean(Class<?> type) throws ReflectiveOperationException {
			List<Field> fields = new ArrayList<>();
			List<Field> finalFields = new ArrayList<>();
			for (Class<?> level = type; level != null && level != Object.class; level = level.getSuperclass()) {
				for (Field field : level.getDeclaredFields()) {
					if (!Modifier.isStatic(field.getModifiers())) {
						field.setAccessible(true);
						(Modifier.isFinal(field.getModifiers()) ? finalFields : fields).add(field);
					}
				}
			}
			Constructor<?> constructor = type.getDeclaredConstructor();
			constructor.setAccessible(true);
			return new Shape(false, constructor, fields.toArray(NO_FIELDS), finalFields.toArray(NO_FIELDS));
		}

	}

	private static final class NotCopyableException extends Exception {

		private static final long serialVersionUID = 1L;

		NotCopyableException() {
			super(null, null, false, false);
		}

	}

}
