package dev.sharding.cache;

import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.Internal;
import dev.sharding.internal.kubernetes.cache.read.ControllerOwner;
import dev.sharding.internal.kubernetes.cache.read.VersionQuery;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.resource.ObjectKey;

/**
 * Which objects of a cache to list, and how. Immutable; the methods return changed copies
 * and narrow the selection.
 *
 * @param namespace the namespace, or {@code null} for all that the cache covers
 * @param labels a label selector, or {@code null} for any labels
 * @param owner the uid of the controller owner, or {@code null} for any
 * @param freshness how fresh the list must be
 * @param shared whether to hand out the objects of the cache itself instead of copies
 * @param versions what to say about versions and pages, in the words of the API server
 */
public record ListOptions(@Nullable String namespace, @Nullable LabelSelector labels, @Nullable String owner,
		Freshness freshness, boolean shared, VersionQuery versions) {

	private static final ListOptions ALL = new ListOptions(null, null, null, Freshness.READ_YOUR_WRITES, false,
			VersionQuery.NONE);

	/**
	 * Everything that the cache covers.
	 * @return the options
	 */
	public static ListOptions all() {
		return ALL;
	}

	/**
	 * Only objects in {@code name}.
	 * @param name the namespace
	 * @return the options
	 */
	public ListOptions inNamespace(String name) {
		return new ListOptions(name, this.labels, this.owner, this.freshness, this.shared, this.versions);
	}

	/**
	 * Only objects with all of {@code wanted}.
	 * @param wanted label keys and values
	 * @return the options
	 */
	public ListOptions withLabels(Map<String, String> wanted) {
		return matching(new LabelSelectorBuilder().withMatchLabels(wanted).build());
	}

	/**
	 * Only objects that {@code selector} selects; it replaces an earlier selector.
	 * @param selector labels and expressions, all of which must hold
	 * @return the options
	 */
	public ListOptions matching(LabelSelector selector) {
		return new ListOptions(this.namespace, selector, this.owner, this.freshness, this.shared, this.versions);
	}

	/**
	 * Only objects whose controller owner is {@code controller}.
	 * @param controller an object with a uid
	 * @return the options
	 */
	public ListOptions controlledBy(HasMetadata controller) {
		if (controller.getMetadata().getUid() == null) {
			throw new IllegalArgumentException(
					"'metadata.uid' of the controller %s must be set to list what it controls"
						.formatted(ObjectKey.of(controller)));
		}
		return new ListOptions(this.namespace, this.labels, controller.getMetadata().getUid(), this.freshness,
				this.shared, this.versions);
	}

	/**
	 * As fresh as {@code wanted}.
	 * @param wanted the freshness
	 * @return the options
	 */
	public ListOptions freshness(Freshness wanted) {
		return new ListOptions(this.namespace, this.labels, this.owner, wanted, this.shared, this.versions);
	}

	/**
	 * Hands out the objects of the cache itself. Whoever asks for this must not modify
	 * them; in return a long list costs no copies.
	 * @return the options
	 */
	public ListOptions withoutCopying() {
		return new ListOptions(this.namespace, this.labels, this.owner, this.freshness, true, this.versions);
	}

	/**
	 * Not older than {@code version}, or with "0" whatever the cache has.
	 * @param version a version that the API server gave out for this resource
	 * @return the options
	 */
	public ListOptions resourceVersion(String version) {
		return versions(new VersionQuery(version, null, this.versions.limit(), this.versions.continueToken()));
	}

	/**
	 * At {@code version}, or not older than it. What there was at a version only the API
	 * server knows, for about five minutes; what is older is refused with status 410.
	 * @param version a version that the API server gave out for this resource
	 * @param match which of the two
	 * @return the options
	 */
	public ListOptions resourceVersion(String version, VersionMatch match) {
		return versions(new VersionQuery(version, match, this.versions.limit(), this.versions.continueToken()));
	}

	/**
	 * At most so many objects. Memory ignores this, as it has everything.
	 * @param objects a positive number
	 * @return the options
	 */
	public ListOptions limit(int objects) {
		return versions(new VersionQuery(this.versions.resourceVersion(), this.versions.match(), objects,
				this.versions.continueToken()));
	}

	/**
	 * The page that follows another one, from the API server.
	 * @param token {@link ObjectPage#continueToken()} of that one
	 * @return the options
	 */
	public ListOptions continueFrom(String token) {
		return versions(
				new VersionQuery(this.versions.resourceVersion(), this.versions.match(), this.versions.limit(), token));
	}

	private ListOptions versions(VersionQuery query) {
		return new ListOptions(this.namespace, this.labels, this.owner, this.freshness, this.shared, query);
	}

	/** Whether the namespace alone selects. */
	@Internal
	public boolean selectsAll() {
		return this.owner == null && this.labels == null;
	}

	/** The labels in the words of the API server, or {@code null} if it would not do. */
	@Internal
	public @Nullable LabelQuery query() {
		LabelSelector selector = this.labels;
		String words = (selector != null) ? SelectorWords.of(selector) : null;
		return (selector != null && words != null)
				? new LabelQuery(words, (present) -> LabelSelectors.matches(selector, present)) : null;
	}

	/**
	 * Whether an object is meant of which only the metadata is known, perhaps not even
	 * the labels.
	 */
	@Internal
	public boolean mayMean(ObjectMeta metadata) {
		if (metadata.getLabels() == null) {
			return this.namespace == null || this.namespace.equals(metadata.getNamespace());
		}
		PartialObjectMetadata object = new PartialObjectMetadata();
		object.setMetadata(metadata);
		return selects(object);
	}

	@Internal
	public boolean selects(HasMetadata object) {
		return (this.namespace == null || this.namespace.equals(object.getMetadata().getNamespace()))
				&& (this.owner == null || this.owner.equals(ControllerOwner.uid(object)))
				&& (this.labels == null || LabelSelectors.matches(this.labels, object.getMetadata().getLabels()));
	}

}
