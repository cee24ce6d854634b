package dev.sharding.kubernetes.informer;

/**
 * An object that does not fit its class. What the parser says is kept out of the message:
 * it may quote the object, which may be a Secret.
 */
final class UndecodableException extends Exception {

	private static final long serialVersionUID = 1L;

	private final transient ObjectFacts facts;

	UndecodableException(ObjectFacts facts, RuntimeException cause) {
		super(rootOf(cause).getClass().getSimpleName());
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
