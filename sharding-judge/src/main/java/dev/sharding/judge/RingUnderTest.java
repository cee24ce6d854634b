package dev.sharding.judge;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The ring that is judged.
 *
 * @param name name of the ControllerRing
 * @param main resources listed in it
 * @param controlled their controlled resources
 * @param namespaces its namespaces, empty if it has all but those of the system
 */
record RingUnderTest(String name, List<ResourceId> main, List<ResourceId> controlled, Set<String> namespaces) {

	private static final Set<String> SHARDING = Set.of("shard.alpha.sharding.timebertt.dev/",
			"drain.alpha.sharding.timebertt.dev/", "first.sharding.dev/", "sharding.dev/");

	private static final Set<String> EXCLUDED = Set.of("kube-system", "sharding-system");

	RingUnderTest {
		main = List.copyOf(main);
		controlled = List.copyOf(controlled);
		namespaces = Set.copyOf(namespaces);
	}

	RingUnderTest(String name, List<ResourceId> main, List<ResourceId> controlled) {
		this(name, main, controlled, Set.of());
	}

	String shardLabel() {
		return "shard.alpha.sharding.timebertt.dev/" + this.name;
	}

	String drainLabel() {
		return "drain.alpha.sharding.timebertt.dev/" + this.name;
	}

	/** An object of the first main resource, by {@code namespace/name}. */
	ObjectRef mainObject(String name) {
		ResourceId id = this.main.get(0);
		int slash = name.indexOf('/');
		return new ObjectRef(id.group(), id.resource(), name.substring(0, slash), name.substring(slash + 1));
	}

	static String ringLabel() {
		return "alpha.sharding.timebertt.dev/controllerring";
	}

	/** Those labels of an object that say nothing of who owns it, in whatever ring. */
	static Map<String, String> usersLabels(Map<String, String> labels) {
		Map<String, String> users = new HashMap<>(labels);
		users.keySet().removeIf(RingUnderTest::isOurs);
		return users;
	}

	/** Whether a label or annotation is one of ours. */
	static boolean isOurs(String name) {
		return SHARDING.stream().anyMatch(name::startsWith);
	}

	boolean isMain(ObjectRef ref) {
		return inScope(ref) && this.main.stream().anyMatch(ref::isOf);
	}

	boolean isControlled(ObjectRef ref) {
		return inScope(ref) && !isMain(ref) && this.controlled.stream().anyMatch(ref::isOf);
	}

	/** What is in no namespace is a list or watch of all. */
	private boolean inScope(ObjectRef ref) {
		boolean selected = this.namespaces.isEmpty() ? !EXCLUDED.contains(ref.namespace())
				: this.namespaces.contains(ref.namespace());
		return selected || ref.namespace().isEmpty();
	}

	/** The main object that a controller reference names, null if it names none. */
	@Nullable ObjectRef mainOf(ObjectRef child, @Nullable ControllerReference reference) {
		if (reference == null) {
			return null;
		}
		for (ResourceId id : this.main) {
			if (id.group().equals(reference.group()) && id.kind().equals(reference.kind())) {
				return new ObjectRef(id.group(), id.resource(), child.namespace(), reference.name());
			}
		}
		return null;
	}

	/** What is hashed for a main object (docs/protocol, section 2.5). */
	String key(ObjectRef mainObject) {
		for (ResourceId id : this.main) {
			if (mainObject.isOf(id)) {
				return id.group() + "/" + id.kind() + "/" + mainObject.namespace() + "/" + mainObject.name();
			}
		}
		throw new IllegalArgumentException(mainObject + " is not of a main resource of ring " + this.name);
	}

}
