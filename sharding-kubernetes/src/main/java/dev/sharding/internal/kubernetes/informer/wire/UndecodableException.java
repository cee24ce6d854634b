package dev.sharding.internal.kubernetes.informer.wire;

import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ObjectMeta;

/**
 * An object does not fit its class, for example because a field of a custom resource has
 * another type than that of the Java class. The message names the object; what the parser
 * says is kept out of it, as it may quote the object, which may be a Secret.
 */
public final class UndecodableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient ObjectMeta metadata;

	/**
	 * Creates the exception for an object that was seen before.
	 * @param type its resource
	 * @param metadata what is known of it
	 */
	public UndecodableException(ResourceType<?> type, ObjectMeta metadata) {
		super(describe(type, metadata));
		this.metadata = metadata;
	}

	UndecodableException(ResourceType<?> type, ObjectMeta metadata, RuntimeException cause) {
		super(describe(type, metadata) + ": " + rootOf(cause).getClass().getSimpleName());
		this.metadata = metadata;
	}

	private static String describe(ResourceType<?> type, ObjectMeta metadata) {
		ObjectFacts facts = ObjectFacts.of(metadata);
		return "%s %s in version %s does not fit %s".formatted(type, facts.key(), facts.version(),
				type.javaType().getName());
	}

	private static Throwable rootOf(Throwable thrown) {
		Throwable root = thrown;
		while (root.getCause() != null && root.getCause() != root) {
			root = root.getCause();
		}
		return root;
	}

	/** What is known of the object; nothing but its identity if not even this fits. */
	public ObjectMeta metadata() {
		return this.metadata;
	}

}
