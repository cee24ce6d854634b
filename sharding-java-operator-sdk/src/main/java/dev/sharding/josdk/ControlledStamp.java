package dev.sharding.josdk;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.qos.spi.RequestTarget;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;

/**
 * The law of sharding labels on what the operator writes: a controlled object that is
 * created, replaced or applied bears the label of the shard, and names the main object
 * that owns it as its controller, as a sharder knows by that whose it is. Applying a main
 * object touches none of its sharding labels. Safe for use by many threads.
 */
final class ControlledStamp implements UnaryOperator<ApiRequest> {

	private static final Logger logger = LoggerFactory.getLogger(ControlledStamp.class);

	private static final Set<String> WHOLE = Set.of("POST", "PUT");

	private static final String APPLY = "application/apply-patch+yaml";

	private final KubernetesSerialization serialization;

	private final String label;

	private final Supplier<String> shard;

	private volatile Map<String, GroupResource> mains = Map.of();

	private volatile RingResources ring = RingResources.NONE;

	/**
	 * Creates the law.
	 * @param serialization reads and writes bodies
	 * @param ring the name of the ring
	 * @param shard tells the name of the shard, which with slots is another one in each
	 * term
	 */
	ControlledStamp(KubernetesSerialization serialization, String ring, Supplier<String> shard) {
		this.serialization = serialization;
		this.label = ShardingLabels.shard(ring);
		this.shard = shard;
	}

	/**
	 * Says what belongs to whom, as of now.
	 * @param resources what the ring shares out
	 * @param reconciled the main resources that the operator reconciles
	 */
	void follow(RingResources resources, Iterable<ResourceType<?>> reconciled) {
		Map<String, GroupResource> kinds = new LinkedHashMap<>();
		reconciled.forEach((main) -> kinds.put(kind(main.group(), main.kind()), main.groupResource()));
		this.mains = kinds;
		this.ring = resources;
	}

	@Override
	public ApiRequest apply(ApiRequest request) {
		boolean applies = request.method().equals("PATCH") && APPLY.equals(request.contentType());
		RequestTarget target = RequestTarget.parse(request.path());
		String body = request.body();
		if (target == null || body == null || !(applies || WHOLE.contains(request.method()))) {
			return request;
		}
		GenericKubernetesResource object = read(body);
		if (object == null || object.getMetadata() == null) {
			return request;
		}
		boolean changed = target.subresource().isEmpty()
				&& stamp(new GroupResource(target.group(), target.resource()), object, applies);
		ApiRequest about = request.about(object);
		return changed ? about.body(this.serialization.asJson(object)) : about;
	}

	/* What no class of fabric8 can read is no object with owners either. */
	private @Nullable GenericKubernetesResource read(String body) {
		try {
			return this.serialization.unmarshal(body, GenericKubernetesResource.class);
		}
		catch (RuntimeException ex) {
			logger.debug("Sending a body as it is that is no object", ex);
			return null;
		}
	}

	/**
	 * Sets labels and controller of an object that is about to be written as a whole.
	 * @param resource its resource
	 * @param object the object, which is changed
	 * @param applies whether the writer becomes the manager of all that it sends
	 * @return whether anything was changed
	 */
	boolean stamp(GroupResource resource, HasMetadata object, boolean applies) {
		Map<String, String> labels = object.getMetadata().getLabels();
		if (applies && this.ring.isMain(resource)) {
			return labels != null && labels.keySet().removeIf(ShardingLabels::isSharding);
		}
		OwnerReference owner = owner(resource, object.getMetadata().getOwnerReferences());
		if (owner == null) {
			return false;
		}
		boolean changed = !Boolean.TRUE.equals(owner.getController());
		owner.setController(true);
		Map<String, String> stamped = (labels != null) ? new LinkedHashMap<>(labels) : new LinkedHashMap<>();
		stamped.put(this.label, this.shard.get());
		object.getMetadata().setLabels(stamped);
		return changed || !stamped.equals(labels);
	}

	/* The controller, else the first of those that may become it. */
	private @Nullable OwnerReference owner(GroupResource resource, @Nullable List<OwnerReference> references) {
		if (references == null || !this.ring.isControlled(resource)) {
			return null;
		}
		OwnerReference controller = references.stream()
			.filter((reference) -> Boolean.TRUE.equals(reference.getController()))
			.findFirst()
			.orElse(null);
		if (controller != null) {
			return isMain(resource, controller) ? controller : null;
		}
		return references.stream().filter((reference) -> isMain(resource, reference)).findFirst().orElse(null);
	}

	private boolean isMain(GroupResource resource, OwnerReference reference) {
		GroupResource main = this.mains.get(kind(group(reference.getApiVersion()), reference.getKind()));
		return main != null && this.ring.isControlledBy(resource, main);
	}

	private static String group(@Nullable String apiVersion) {
		int slash = (apiVersion != null) ? apiVersion.indexOf('/') : -1;
		return (slash < 0) ? "" : String.valueOf(apiVersion).substring(0, slash);
	}

	private static String kind(String group, @Nullable String kind) {
		return group + "/" + kind;
	}

}
