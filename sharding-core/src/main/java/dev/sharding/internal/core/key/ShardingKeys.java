package dev.sharding.internal.core.key;

import dev.sharding.internal.core.key.InvalidShardingKeyException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Derives sharding keys from objects (protocol section 2.5).
 */
public final class ShardingKeys {

	private ShardingKeys() {
	}

	/**
	 * Returns the key of an object of a main resource: its own identity, whoever owns it.
	 * @param object the object
	 * @return its sharding key
	 * @throws InvalidShardingKeyException if kind or name is missing
	 */
	public static ShardingKey ofMain(ObjectIdentity object) {
		String kind = text(object.kind());
		String apiVersion = text(object.apiVersion());
		String name = text(object.name());
		if (apiVersion.isEmpty() && kind.isEmpty()) {
			throw invalid(Reason.TYPE_META_MISSING, object);
		}
		if (name.isEmpty()) {
			throw invalid(
					text(object.generateName()).isEmpty() ? Reason.NAME_MISSING : Reason.GENERATE_NAME_UNSUPPORTED,
					object);
		}
		String group = group(apiVersion);
		return new ShardingKey((group != null) ? group : "", kind, text(object.namespace()), name);
	}

	/**
	 * Returns the key of an object of a controlled resource: the identity of its direct
	 * controller, in the namespace of the object itself. A namespaced object with a
	 * cluster-scoped controller therefore has another key than its controller.
	 * @param object the object
	 * @return the key of its controller, or {@code null} if it has no controller
	 * reference: such an object is not sharded
	 * @throws InvalidShardingKeyException if the controller reference is incomplete
	 */
	public static @Nullable ShardingKey ofControlled(ObjectIdentity object) {
		for (OwnerRef owner : object.ownerReferences()) {
			if (owner.controller()) {
				return ofController(owner, object);
			}
		}
		return null;
	}

	private static ShardingKey ofController(OwnerRef owner, ObjectIdentity object) {
		String apiVersion = text(owner.apiVersion());
		String kind = text(owner.kind());
		String name = text(owner.name());
		if (apiVersion.isEmpty()) {
			throw invalid(Reason.OWNER_API_VERSION_MISSING, object);
		}
		if (kind.isEmpty()) {
			throw invalid(Reason.OWNER_KIND_MISSING, object);
		}
		if (name.isEmpty()) {
			throw invalid(Reason.OWNER_NAME_MISSING, object);
		}
		String group = group(apiVersion);
		if (group == null) {
			throw invalid(Reason.OWNER_API_VERSION_INVALID, object);
		}
		return new ShardingKey(group, kind, text(object.namespace()), name);
	}

	private static @Nullable String group(String apiVersion) {
		int slash = apiVersion.indexOf('/');
		if (slash < 0) {
			return "";
		}
		return (apiVersion.indexOf('/', slash + 1) < 0) ? apiVersion.substring(0, slash) : null;
	}

	private static InvalidShardingKeyException invalid(Reason reason, ObjectIdentity object) {
		String name = text(object.name()).isEmpty() ? text(object.generateName()) : text(object.name());
		String namespace = text(object.namespace());
		return new InvalidShardingKeyException(reason, namespace.isEmpty() ? name : namespace + '/' + name);
	}

	private static String text(@Nullable String part) {
		return (part != null) ? part : "";
	}

}
