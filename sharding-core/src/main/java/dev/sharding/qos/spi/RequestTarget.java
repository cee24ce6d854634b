package dev.sharding.qos.spi;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.Internal;

/**
 * What a request is about, as its path says. Comparing needs no memory, as every request
 * is compared with every rule.
 */
public final class RequestTarget {

	private final String path;

	private final long group;

	private final long version;

	private final long namespace;

	private final long resource;

	private final long name;

	private final long subresource;

	private RequestTarget(String path, long group, long version, long namespace, long resource, long name,
			long subresource) {
		this.path = path;
		this.group = group;
		this.version = version;
		this.namespace = namespace;
		this.resource = resource;
		this.name = name;
		this.subresource = subresource;
	}

	/**
	 * Reads the path of a request.
	 * @param path the path without query, from {@code /api} or {@code /apis} on
	 * @return the target, or {@code null} if the path is not that of a resource, for
	 * example {@code /healthz} or a discovery document
	 */
	public static @Nullable RequestTarget parse(String path) {
		Segments segments = new Segments(path);
		long root = segments.nextSpan();
		boolean core = Segments.is(path, root, "api");
		if (!core && !Segments.is(path, root, "apis")) {
			return null;
		}
		long group = core ? Segments.NONE : segments.nextSpan();
		long version = segments.nextSpan();
		long resource = segments.nextSpan();
		if (Segments.isEmpty(resource)) {
			return null;
		}
		long name = segments.nextSpan();
		long third = segments.nextSpan();
		if (!Segments.is(path, resource, "namespaces") || Segments.isEmpty(third)
				|| isSubresourceOfNamespace(path, third)) {
			return new RequestTarget(path, group, version, Segments.NONE, resource, name, third);
		}
		return new RequestTarget(path, group, version, name, third, segments.nextSpan(), segments.nextSpan());
	}

	/* The only two; everything else below a namespace is a resource in it. */
	private static boolean isSubresourceOfNamespace(String path, long segment) {
		return Segments.is(path, segment, "status") || Segments.is(path, segment, "finalize");
	}

	/**
	 * Returns the API group.
	 * @return empty for the core group
	 */
	public String group() {
		return Segments.text(this.path, this.group);
	}

	/**
	 * Returns the version of the group.
	 * @return for example {@code v1}
	 */
	public String version() {
		return Segments.text(this.path, this.version);
	}

	/**
	 * Returns the namespace.
	 * @return empty for all namespaces and for cluster-scoped objects
	 */
	public String namespace() {
		return Segments.text(this.path, this.namespace);
	}

	/**
	 * Returns the plural.
	 * @return for example {@code pods}
	 */
	public String resource() {
		return Segments.text(this.path, this.resource);
	}

	/**
	 * Returns the object's name.
	 * @return empty for a collection
	 */
	public String name() {
		return Segments.text(this.path, this.name);
	}

	/**
	 * Returns the subresource.
	 * @return for example {@code status}, empty for none
	 */
	public String subresource() {
		return Segments.text(this.path, this.subresource);
	}

	/**
	 * Whether the target is in a group.
	 * @param wanted the group, empty for the core group
	 * @return whether it is
	 */
	public boolean isInGroup(String wanted) {
		return Segments.is(this.path, this.group, wanted);
	}

	/**
	 * Whether the target is a collection rather than one object.
	 * @return whether no name is given
	 */
	public boolean isCollection() {
		return Segments.isEmpty(this.name);
	}

	boolean isInVersion(String wanted) {
		return Segments.is(this.path, this.version, wanted);
	}

	boolean isInNamespace(String wanted) {
		return Segments.is(this.path, this.namespace, wanted);
	}

	@Internal
	public boolean isInNoNamespace() {
		return Segments.isEmpty(this.namespace);
	}

	boolean isOfResource(String wanted) {
		return Segments.is(this.path, this.resource, wanted);
	}

	boolean isNamed(String wanted) {
		return Segments.is(this.path, this.name, wanted);
	}

	@Override
	public String toString() {
		return this.path;
	}

}
