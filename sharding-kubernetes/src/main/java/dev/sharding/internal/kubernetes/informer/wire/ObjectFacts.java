package dev.sharding.internal.kubernetes.informer.wire;

import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What tells one state of one object from another.
 *
 * @param key namespace and name
 * @param uid the identity, which a namesake created later does not share
 * @param version the resource version
 */
public record ObjectFacts(ObjectKey key, String uid, String version) {

	public static ObjectFacts of(HasMetadata object) {
		return of(object.getMetadata());
	}

	public static ObjectFacts of(ObjectMeta metadata) {
		return new ObjectFacts(ObjectKey.of(metadata), orEmpty(metadata.getUid()),
				orEmpty(metadata.getResourceVersion()));
	}

	private static String orEmpty(@Nullable String text) {
		return (text != null) ? text : "";
	}

	/**
	 * Metadata that say no more than this: labels that are not known are {@code null}.
	 */
	public ObjectMeta toMetadata() {
		ObjectMeta metadata = new ObjectMetaBuilder().withNamespace(this.key.namespace())
			.withName(this.key.name())
			.withUid(this.uid)
			.withResourceVersion(this.version)
			.build();
		metadata.setLabels(null);
		return metadata;
	}

	/**
	 * Reads the facts from the bytes of an object, which need not be decodable otherwise.
	 */
	public static ObjectFacts read(JsonSlice object) {
		JsonCursor metadata = metadata(object);
		String namespace = "";
		String name = "";
		String uid = "";
		String version = "";
		while (metadata != null && metadata.next()) {
			if (metadata.isNamed("name")) {
				name = metadata.text();
			}
			else if (metadata.isNamed("namespace")) {
				namespace = metadata.text();
			}
			else if (metadata.isNamed("uid")) {
				uid = metadata.text();
			}
			else if (metadata.isNamed("resourceVersion")) {
				version = metadata.text();
			}
		}
		return new ObjectFacts(new ObjectKey(namespace, name), uid, version);
	}

	/**
	 * A cursor over the object's metadata, or {@code null} if it has none or they are.
	 */
	static @Nullable JsonCursor metadata(JsonSlice object) {
		JsonCursor members = object.cursor();
		while (members.next()) {
			if (members.isNamed("metadata")) {
				return members.isContainer() ? members.enter() : null;
			}
		}
		return null;
	}

}
