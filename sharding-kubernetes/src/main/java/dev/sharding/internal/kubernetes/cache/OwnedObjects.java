package dev.sharding.internal.kubernetes.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InvalidOwnershipException;
import dev.sharding.internal.kubernetes.cache.read.ControllerOwner;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Who may own what. The rules are those of the garbage collector, which would delete what
 * breaks them, without a word and some time later.
 */
final class OwnedObjects {

	private OwnedObjects() {
	}

	/**
	 * Makes an owner the controller of an object that is yet to be written.
	 * @param type the resource of the object
	 * @param owner the owner
	 * @param object gets the reference, and the owner's namespace if it has none
	 * @throws InvalidOwnershipException if it cannot own the object
	 */
	static void control(ResourceType<?> type, HasMetadata owner, HasMetadata object) {
		String home = text(owner.getMetadata().getNamespace());
		if (object.getMetadata().getNamespace() == null && type.namespaced() && !home.isEmpty()) {
			object.getMetadata().setNamespace(home);
		}
		if (text(object.getMetadata().getName()).isEmpty()) {
			throw refusal(type, owner, object,
					"it has no name. Give it one that follows from the owner's and is the same each time;"
							+ " 'generateName' would make another object each time");
		}
		if (text(owner.getMetadata().getUid()).isEmpty() || text(owner.getMetadata().getName()).isEmpty()) {
			throw refusal(type, owner, object,
					"the owner has no uid. Pass the object that the reconciler was given, or one that a cache returned");
		}
		requireReach(type, home, owner, object);
		OwnerReference present = ControllerOwner.of(object);
		if (present != null && !owner.getMetadata().getUid().equals(present.getUid())) {
			throw refusal(type, owner, object,
					"it names %s '%s' as its controller. Leave the owner references to ensure"
						.formatted(present.getKind(), present.getName()));
		}
		List<OwnerReference> references = new ArrayList<>();
		if (object.getMetadata().getOwnerReferences() != null) {
			references.addAll(object.getMetadata().getOwnerReferences());
		}
		references.removeIf((reference) -> owner.getMetadata().getUid().equals(reference.getUid()));
		references.add(new OwnerReferenceBuilder().withApiVersion(owner.getApiVersion())
			.withKind(owner.getKind())
			.withName(owner.getMetadata().getName())
			.withUid(owner.getMetadata().getUid())
			.withController(true)
			.build());
		object.getMetadata().setOwnerReferences(references);
	}

	private static void requireReach(ResourceType<?> type, String home, HasMetadata owner, HasMetadata object) {
		if (!home.isEmpty() && !type.namespaced()) {
			throw refusal(type, owner, object,
					"what has no namespace cannot be owned from within one. Write it with apply,"
							+ " and delete it in Cleaner");
		}
		if (!home.isEmpty() && !home.equals(object.getMetadata().getNamespace())) {
			throw refusal(type, owner, object,
					("owner and owned must be in one namespace. Put it into '%s', or write it"
							+ " with apply and delete it in Cleaner")
						.formatted(home));
		}
	}

	/**
	 * Refuses to change what somebody else controls.
	 * @param type the resource of the object
	 * @param owner the owner
	 * @param actual the object as it is
	 * @throws InvalidOwnershipException if the owner does not control the object
	 */
	static void requireControlled(ResourceType<?> type, HasMetadata owner, HasMetadata actual) {
		OwnerReference controller = ControllerOwner.of(actual);
		if (controller == null) {
			throw refusal(type, owner, actual,
					"it is there already, and nobody controls it. Give the wanted object another name, delete the one that"
							+ " is there, or give that one a controller reference to the owner");
		}
		if (!owner.getMetadata().getUid().equals(controller.getUid())) {
			boolean namesake = Objects.equals(controller.getKind(), owner.getKind())
					&& Objects.equals(controller.getName(), owner.getMetadata().getName());
			throw refusal(type, owner, actual, namesake
					? "an earlier owner of the same name controls it, and the garbage collector has not deleted it yet. To"
							+ " try again later is enough"
					: "%s '%s' controls it. Give the wanted object another name".formatted(controller.getKind(),
							controller.getName()));
		}
	}

	private static InvalidOwnershipException refusal(ResourceType<?> type, HasMetadata owner, HasMetadata object,
			String why) {
		ObjectKey ownerKey = key(owner);
		ObjectKey key = key(object);
		return new InvalidOwnershipException(ownerKey, key,
				"Failed to ensure %s %s for %s %s: %s".formatted(type, key, owner.getKind(), ownerKey, why));
	}

	private static ObjectKey key(HasMetadata object) {
		return new ObjectKey(text(object.getMetadata().getNamespace()), text(object.getMetadata().getName()));
	}

	private static String text(@Nullable String text) {
		return (text != null) ? text : "";
	}

}
