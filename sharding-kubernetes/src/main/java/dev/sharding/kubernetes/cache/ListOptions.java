package dev.sharding.kubernetes.cache;

import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Which objects of a cache to list, and how. Immutable; the methods return changed copies
 * and narrow the selection.
 *
 * @param namespace the namespace, or {@code null} for all that the cache covers
 * @param labels a label selector, or {@code null} for any labels
 * @param owner the uid of the controller owner, or {@code null} for any
 * @param freshness how fresh the list must be
 * @param shared whether to hand out the objects of the cache itself instead of copies
 */
public record ListOptions(@Nullable String namespace, @Nullable LabelSelector labels, @Nullable String owner,
		Freshness freshness, boolean shared) {

	private static final ListOptions ALL = new ListOptions(null, null, null, Freshness.READ_YOUR_WRITES, false);

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
		return new ListOptions(name, this.labels, this.owner, this.freshness, this.shared);
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
		return new ListOptions(this.namespace, selector, this.owner, this.freshness, this.shared);
	}

	/**
	 * Only objects whose controller owner is {@code controller}.
	 * @param controller an object with a uid
	 * @return the options
	 */
	public ListOptions controlledBy(HasMetadata controller) {
		return new ListOptions(this.namespace, this.labels, controller.getMetadata().getUid(), this.freshness,
				this.shared);
	}

	/**
	 * As fresh as {@code wanted}.
	 * @param wanted the freshness
	 * @return the options
	 */
	public ListOptions freshness(Freshness wanted) {
		return new ListOptions(this.namespace, this.labels, this.owner, wanted, this.shared);
	}

	/**
	 * Hands out the objects of the cache itself. Whoever asks for this must not modify
	 * them; in return a long list costs no copies.
	 * @return the options
	 */
	public ListOptions withoutCopying() {
		return new ListOptions(this.namespace, this.labels, this.owner, this.freshness, true);
	}

	/** Whether the namespace alone selects. */
	boolean selectsAll() {
		return this.owner == null && this.labels == null;
	}

	boolean selects(HasMetadata object) {
		return (this.namespace == null || this.namespace.equals(object.getMetadata().getNamespace()))
				&& (this.owner == null || this.owner.equals(ControllerOwner.uid(object)))
				&& (this.labels == null || LabelSelectors.matches(this.labels, object.getMetadata().getLabels()));
	}

}
