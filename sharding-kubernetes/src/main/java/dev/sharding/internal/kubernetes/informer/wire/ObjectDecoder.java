package dev.sharding.internal.kubernetes.informer.wire;

import java.util.Arrays;
import java.util.function.Consumer;

import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Parses the bytes of one object. Safe for use by many threads.
 *
 * @param <T> the class of the objects
 */
public final class ObjectDecoder<T extends HasMetadata> {

	private final KubernetesSerialization serialization;

	private final ResourceType<T> type;

	private final boolean keepManagedFields;

	private final @Nullable ObjectSlimmer slimmer;

	private final @Nullable Consumer<T> trim;

	/**
	 * Creates a decoder.
	 * @param serialization parses
	 * @param type the resource of the objects
	 * @param keepManagedFields whether to parse {@code metadata.managedFields}
	 */
	public ObjectDecoder(KubernetesSerialization serialization, ResourceType<T> type, boolean keepManagedFields) {
		this(serialization, type, keepManagedFields, null, null);
	}

	private ObjectDecoder(KubernetesSerialization serialization, ResourceType<T> type, boolean keepManagedFields,
			@Nullable ObjectSlimmer slimmer, @Nullable Consumer<T> trim) {
		this.serialization = serialization;
		this.type = type;
		this.keepManagedFields = keepManagedFields;
		this.slimmer = slimmer;
		this.trim = trim;
	}

	/**
	 * The same for objects that are kept, and not given away but as copies.
	 * @return a decoder whose objects are smaller and cannot be changed everywhere
	 */
	public ObjectDecoder<T> slimming() {
		return new ObjectDecoder<>(this.serialization, this.type, this.keepManagedFields, new ObjectSlimmer(),
				this.trim);
	}

	/**
	 * The same for whoever keeps only a part of each object.
	 * @param with takes off an object what is not kept of it, or {@code null} for
	 * nothing; must leave its name, namespace, uid and resource version
	 * @return a decoder whose objects say no more than that
	 */
	public ObjectDecoder<T> trimming(@Nullable Consumer<T> with) {
		return new ObjectDecoder<>(this.serialization, this.type, this.keepManagedFields, this.slimmer, with);
	}

	/**
	 * Parses one object.
	 * @param bytes the object as the API server sent it; may be changed
	 * @return the object
	 * @throws UndecodableException if the bytes do not fit the class
	 * @throws IllegalArgumentException if they are no JSON object
	 */
	public T decode(byte[] bytes) {
		return decode(JsonSlice.of(bytes));
	}

	/**
	 * Parses {@code slice}, whose bytes may be changed by it.
	 * @throws UndecodableException if they do not fit the class
	 * @throws IllegalArgumentException if they are no JSON object
	 */
	public T decode(JsonSlice slice) {
		try {
			if (!this.keepManagedFields) {
				blankManagedFields(slice);
			}
			T object = this.serialization.unmarshal(slice.stream(), this.type.javaType());
			if (object == null || object.getMetadata() == null || object.getMetadata().getName() == null) {
				throw new IllegalArgumentException("no metadata.name");
			}
			if (object instanceof GenericKubernetesResource generic) {
				complete(generic);
			}
			if (this.trim != null) {
				this.trim.accept(object);
			}
			if (this.slimmer != null) {
				this.slimmer.slim(object);
			}
			return object;
		}
		catch (RuntimeException ex) {
			throw new UndecodableException(this.type, metadata(slice), ex);
		}
	}

	/** Often only the specification is odd. */
	private ObjectMeta metadata(JsonSlice slice) {
		ObjectFacts facts = ObjectFacts.read(slice);
		if (this.trim != null) {
			return facts.toMetadata();
		}
		try {
			ObjectMeta metadata = this.serialization.unmarshal(slice.stream(), PartialObjectMetadata.class)
				.getMetadata();
			if (metadata != null && ObjectFacts.of(metadata).equals(facts)) {
				return metadata;
			}
		}
		catch (RuntimeException ex) {
			return facts.toMetadata();
		}
		return facts.toMetadata();
	}

	/** Items of a list of a built-in resource say neither version nor kind. */
	private void complete(GenericKubernetesResource object) {
		if (object.getApiVersion() == null) {
			object.setApiVersion(this.type.apiVersion());
		}
		if (object.getKind() == null) {
			object.setKind(this.type.kind());
		}
	}

	/**
	 * Overwrites the managed fields by an empty list before the parser sees them: they
	 * are often most of the metadata, would become a tree of maps that nobody reads, and
	 * hold names of members that are different in each object, such as the uid of the
	 * owner, which spoils the parser's table of names.
	 */
	private static void blankManagedFields(JsonSlice slice) {
		JsonCursor metadata = ObjectFacts.metadata(slice);
		while (metadata != null && metadata.next()) {
			if (metadata.isNamed("managedFields")) {
				int from = metadata.valueFrom();
				int to = metadata.valueTo();
				if (slice.bytes()[from] == '[') {
					slice.bytes()[from + 1] = ']';
					Arrays.fill(slice.bytes(), from + 2, to, (byte) ' ');
				}
				return;
			}
		}
	}

}
