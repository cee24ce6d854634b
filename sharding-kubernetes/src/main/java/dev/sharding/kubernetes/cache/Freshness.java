package dev.sharding.kubernetes.cache;

/**
 * How fresh the answer to a read must be. A value: compare with {@code equals}.
 */
public final class Freshness {

	/** Whatever the informer has seen so far, which may be older than own writes. */
	public static final Freshness ANY = new Freshness("ANY");

	/**
	 * No older than any write that this process made through its caches, or handed in,
	 * and that returned before the read began. The default. Answered from memory, but for
	 * objects of which nobody can tell whether a write happened: then the API server is
	 * asked.
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
