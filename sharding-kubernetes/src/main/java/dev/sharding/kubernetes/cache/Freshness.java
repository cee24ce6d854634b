package dev.sharding.kubernetes.cache;

/**
 * How fresh the answer to a read must be. A value: compare with {@code equals}.
 */
public final class Freshness {

	/** Whatever the informer has seen so far. */
	public static final Freshness ANY = new Freshness("ANY");

	/**
	 * No older than the writes that this process has made through its caches. The
	 * default. The caches do not lay own writes over the informer yet, so for now this
	 * answers as {@link #ANY} does.
	 */
	public static final Freshness READ_YOUR_WRITES = new Freshness("READ_YOUR_WRITES");

	private final String name;

	private Freshness(String name) {
		this.name = name;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Freshness freshness && this.name.equals(freshness.name);
	}

	@Override
	public int hashCode() {
		return this.name.hashCode();
	}

	@Override
	public String toString() {
		return this.name;
	}

}
