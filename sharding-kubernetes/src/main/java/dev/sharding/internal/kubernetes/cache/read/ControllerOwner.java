package dev.sharding.internal.kubernetes.cache.read;

import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import org.jspecify.annotations.Nullable;

import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Finds the owner that controls an object: the one owner reference with
 * {@code controller: true}.
 */
public final class ControllerOwner {

	/** The index of each cache that files objects under the uid of their controller. */
	public static final String INDEX = "sharding.dev/controller";

	private ControllerOwner() {
	}

	/**
	 * The controller reference of {@code object}.
	 * @param object any object
	 * @return the reference, or {@code null} if nothing controls the object
	 */
	public static @Nullable OwnerReference of(HasMetadata object) {
		List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
		if (owners != null) {
			for (OwnerReference owner : owners) {
				if (Boolean.TRUE.equals(owner.getController())) {
					return owner;
				}
			}
		}
		return null;
	}

	/**
	 * The key of the object of {@code type} that controls {@code object}.
	 * @param object any object
	 * @param type the resource of the wanted owner; its version does not matter
	 * @return the key, or {@code null} if none of that resource controls the object
	 */
	public static @Nullable ObjectKey key(HasMetadata object, ResourceType<?> type) {
		OwnerReference owner = of(object);
		if (owner == null || !type.kind().equals(owner.getKind()) || !isInGroup(owner.getApiVersion(), type.group())) {
			return null;
		}
		String namespace = object.getMetadata().getNamespace();
		return new ObjectKey((type.namespaced() && namespace != null) ? namespace : "", owner.getName());
	}

	public static @Nullable String uid(HasMetadata object) {
		OwnerReference owner = of(object);
		return (owner != null) ? owner.getUid() : null;
	}

	public static List<String> uids(HasMetadata object) {
		String uid = uid(object);
		return (uid != null) ? List.of(uid) : List.of();
	}

	private static boolean isInGroup(@Nullable String apiVersion, String group) {
		if (apiVersion == null) {
			return false;
		}
		int slash = apiVersion.indexOf('/');
		return (slash < 0) ? group.isEmpty() : slash == group.length() && apiVersion.regionMatches(0, group, 0, slash);
	}

}
