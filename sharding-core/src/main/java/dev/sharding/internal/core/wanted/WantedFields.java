package dev.sharding.internal.core.wanted;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import dev.sharding.protocol.ShardingLabels;

/**
 * The fields that somebody wants an object to have. Whoever applies them leaves their
 * fingerprint in an annotation, so that a later one sees whether the wish has changed,
 * also what it no longer asks for. Whether somebody else has changed the object, the
 * values tell.
 *
 * <p>
 * A {@code null} asks for nothing; an empty object or array is a value.
 */
public final class WantedFields {

	/** The annotation with the fingerprint of the fields that were applied last. */
	public static final String ANNOTATION = "sharding.dev/wanted";

	private static final Set<String> BOOKKEEPING = Set.of("resourceVersion", "generation", "managedFields", "uid",
			"creationTimestamp", "selfLink");

	private final Map<?, ?> fields;

	private final String fingerprint;

	private WantedFields(Map<?, ?> fields) {
		this.fields = fields;
		this.fingerprint = Fingerprint.of(fields);
	}

	/**
	 * The fields of a wish.
	 * @param fields the object as somebody wants it
	 * @return the wish
	 */
	public static WantedFields of(Map<?, ?> fields) {
		return new WantedFields(fields);
	}

	/**
	 * Stands for these fields and values, whatever their order, in every process.
	 * @return 32 hexadecimal digits
	 */
	public String fingerprint() {
		return this.fingerprint;
	}

	/**
	 * Tells whether to apply these fields would change nothing.
	 * @param actual the object as it is
	 * @param last what the last apply by this process has brought, {@code null} if it has
	 * applied nothing to the object yet
	 * @return {@code false} if they have to be applied
	 */
	public boolean areIn(Map<?, ?> actual, @Nullable AppliedFields last) {
		return (this.fingerprint.equals(annotationOf(actual)) && isIn(this.fields, actual))
				|| (last != null && appliedTo(actual).equals(last));
	}

	/**
	 * Tells whether these fields are all that there is, or all that an apply of them
	 * leaves.
	 * @param actual what there is
	 * @param last what the last apply by this process has brought, {@code null} if there
	 * was none
	 * @return {@code false} if they have to be applied
	 */
	public boolean areAllOf(Map<?, ?> actual, @Nullable AppliedFields last) {
		return this.fingerprint.equals(Fingerprint.of(actual)) || (last != null && appliedAs(actual).equals(last));
	}

	/**
	 * What an apply of these fields has brought, for {@link #areIn}.
	 * @param answer the object that the API server made of them
	 * @return what to remember
	 */
	public AppliedFields appliedTo(Map<?, ?> answer) {
		return new AppliedFields(this.fingerprint, Fingerprint.of(contentOf(answer)));
	}

	/**
	 * What an apply of these fields has brought, for {@link #areAllOf}.
	 * @param answer what the API server made of them
	 * @return what to remember
	 */
	public AppliedFields appliedAs(Map<?, ?> answer) {
		return new AppliedFields(this.fingerprint, Fingerprint.of(answer));
	}

	private static @Nullable Object annotationOf(Map<?, ?> actual) {
		return (actual.get("metadata") instanceof Map<?, ?> metadata
				&& metadata.get("annotations") instanceof Map<?, ?> annotations) ? annotations.get(ANNOTATION) : null;
	}

	private static boolean isIn(@Nullable Object wanted, @Nullable Object actual) {
		if (wanted == null) {
			return true;
		}
		if (wanted instanceof Map<?, ?> map) {
			return actual instanceof Map<?, ?> present
					&& map.entrySet().stream().allMatch((entry) -> isIn(entry.getValue(), present.get(entry.getKey())));
		}
		if (wanted instanceof List<?> list) {
			return actual instanceof List<?> present && areIn(list, present);
		}
		return actual != null && Fingerprint.isSame(wanted, actual);
	}

	/* Each in its place: which elements have keys, only the API server knows. */
	private static boolean areIn(List<?> wanted, List<?> actual) {
		if (wanted.size() != actual.size()) {
			return false;
		}
		Iterator<?> present = actual.iterator();
		return wanted.stream().allMatch((element) -> isIn(element, present.next()));
	}

	/** What others change as well is left out: status, bookkeeping, who owns it. */
	private static Map<?, ?> contentOf(Map<?, ?> object) {
		Map<Object, Object> content = new LinkedHashMap<>(object);
		content.remove("status");
		if (object.get("metadata") instanceof Map<?, ?> metadata) {
			Map<Object, Object> kept = new LinkedHashMap<>(metadata);
			kept.keySet().removeAll(BOOKKEEPING);
			if (metadata.get("labels") instanceof Map<?, ?> labels) {
				Map<Object, Object> own = new LinkedHashMap<>(labels);
				own.keySet().removeIf((label) -> ShardingLabels.isSharding(String.valueOf(label)));
				if (own.isEmpty()) {
					kept.remove("labels");
				}
				else {
					kept.put("labels", own);
				}
			}
			content.put("metadata", kept);
		}
		return content;
	}

}
