package dev.sharding.internal.kubernetes.cache.overlay;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.overlay.ObjectAccess;
import dev.sharding.resource.ObjectKey;

/**
 * What the overlay asks of a Kubernetes object. In scope is what carries a label with a
 * value, or everything.
 */
public final class ScopedAccess<T extends HasMetadata> implements ObjectAccess<ObjectKey, T> {

	private final @Nullable String label;

	private final String value;

	/** Everything is in scope if {@code label} is {@code null}. */
	public ScopedAccess(@Nullable String label, String value) {
		this.label = label;
		this.value = value;
	}

	@Override
	public ObjectKey key(T object) {
		return ObjectKey.of(object);
	}

	@Override
	public String uid(T object) {
		return Objects.requireNonNullElse(object.getMetadata().getUid(), "");
	}

	@Override
	public @Nullable String version(T object) {
		return object.getMetadata().getResourceVersion();
	}

	@Override
	public boolean exists(T object) {
		ObjectMeta metadata = object.getMetadata();
		Long grace = metadata.getDeletionGracePeriodSeconds();
		return metadata.getDeletionTimestamp() == null || (grace != null && grace > 0)
				|| (metadata.getFinalizers() != null && !metadata.getFinalizers().isEmpty()) || isHeldNamespace(object);
	}

	/** Namespaces have finalizers of their own, and no grace period. */
	private static boolean isHeldNamespace(HasMetadata object) {
		if (object instanceof Namespace namespace) {
			return namespace.getSpec() != null && namespace.getSpec().getFinalizers() != null
					&& !namespace.getSpec().getFinalizers().isEmpty();
		}
		return object instanceof GenericKubernetesResource generic && "v1".equals(generic.getApiVersion())
				&& "Namespace".equals(generic.getKind())
				&& generic.get("spec", "finalizers") instanceof Collection<?> finalizers && !finalizers.isEmpty();
	}

	@Override
	public boolean inScope(T object) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return this.label == null || (labels != null && this.value.equals(labels.get(this.label)));
	}

}
