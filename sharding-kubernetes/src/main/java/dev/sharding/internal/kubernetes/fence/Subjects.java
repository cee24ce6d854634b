package dev.sharding.internal.kubernetes.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.qos.spi.RequestTarget;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Finds out which main objects a write concerns: the one that its path names; or those
 * that own what it writes, among them the controller alone if that is a main object.
 */
final class Subjects {

	private final Claims claims;

	private final BiFunction<GroupResource, ObjectKey, @Nullable HasMetadata> cached;

	Subjects(Claims claims, BiFunction<GroupResource, ObjectKey, @Nullable HasMetadata> cached) {
		this.claims = claims;
		this.cached = cached;
	}

	List<Claim> of(ApiRequest request) {
		RequestTarget target = RequestTarget.parse(request.path());
		if (target == null) {
			return List.of();
		}
		GroupResource resource = new GroupResource(target.group(), target.resource());
		ObjectKey key = target.isCollection() ? null : new ObjectKey(target.namespace(), target.name());
		List<ResourceType<?>> mains = this.claims.mains();
		if (key != null && mains.stream().anyMatch((main) -> main.groupResource().equals(resource))) {
			return List.of(claim(resource, key));
		}
		List<OwnerReference> named = references(request.about());
		return owners(mains, target.namespace(),
				(named.isEmpty() && key != null) ? references(this.cached.apply(resource, key)) : named);
	}

	private static List<OwnerReference> references(@Nullable HasMetadata object) {
		List<OwnerReference> owners = (object != null) ? object.getMetadata().getOwnerReferences() : null;
		return (owners != null) ? owners : List.of();
	}

	private List<Claim> owners(List<ResourceType<?>> mains, String namespace, List<OwnerReference> references) {
		List<Claim> found = new ArrayList<>();
		for (OwnerReference reference : references) {
			ResourceType<?> main = main(mains, reference);
			if (main != null) {
				Claim claim = claim(main.groupResource(),
						new ObjectKey(main.namespaced() ? namespace : "", reference.getName()));
				if (Boolean.TRUE.equals(reference.getController())) {
					return List.of(claim);
				}
				found.add(claim);
			}
		}
		return found;
	}

	private static @Nullable ResourceType<?> main(List<ResourceType<?>> mains, OwnerReference reference) {
		String apiVersion = (reference.getApiVersion() != null) ? reference.getApiVersion() : "";
		int slash = apiVersion.indexOf('/');
		String group = (slash < 0) ? "" : apiVersion.substring(0, slash);
		for (ResourceType<?> main : mains) {
			if (main.kind().equals(reference.getKind()) && main.group().equals(group)) {
				return main;
			}
		}
		return null;
	}

	private Claim claim(GroupResource resource, ObjectKey key) {
		Claim claim = this.claims.of(resource, key);
		return (claim != null) ? claim : Claim.none(resource, key);
	}

}
