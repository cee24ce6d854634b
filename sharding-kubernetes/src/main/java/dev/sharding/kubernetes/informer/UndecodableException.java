package dev.sharding.kubernetes.informer;

import dev.sharding.kubernetes.resource.ResourceType;

/**
 * An object does not fit its class, for example because a field of a custom resource has
 * another type than that of the Java class. The message names the object; what the parser
 * says is kept out of it, as it may quote the object, which may be a Secret.
 */
public final class UndecodableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final transient ObjectFacts facts;

	UndecodableException(ResourceType<?> type, ObjectFacts facts, RuntimeException cause) {
		super("%s %s in version %s does not fit %s: %s".formatted(type, facts.key(), facts.version(),
				type.javaType().getName(), rootOf(cause).getClass().getSimpleName()));
		this.facts = facts;
	}

	private static Throwable rootOf(Throwable thrown) {
		Throwable root = thrown;
		while (root.getCause() != null && root.getCause() != root) {
			root = root.getCause();
		}
		return root;
	}

	ObjectFacts facts() {
		return this.facts;
	}

}
