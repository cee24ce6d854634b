package dev.sharding.resource;

/**
 * A name or a namespace that no object can have, so that nothing was asked: it is empty,
 * {@code .} or {@code ..}, or holds a slash or a percent sign. In a path it would name
 * something else.
 */
public final class ImpossibleNameException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final transient ObjectKey key;

	ImpossibleNameException(String resource, ObjectKey key, String what, String value) {
		super("No object of %s can be called '%s': its %s %s".formatted(resource, key, what,
				value.isEmpty() ? "must not be empty" : "must not be '.' or '..' or hold '/' or '%'"));
		this.key = key;
	}

	/**
	 * What was asked for.
	 * @return namespace and name
	 */
	public ObjectKey key() {
		return this.key;
	}

}
