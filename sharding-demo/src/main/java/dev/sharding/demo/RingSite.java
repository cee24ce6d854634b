package dev.sharding.demo;

import java.util.List;
import java.util.Map;

/**
 * A ring of the play, and where its objects are.
 *
 * @param name name of the ControllerRing
 * @param namespaces those of its objects; the Leases of its shards are in the first
 */
public record RingSite(String name, List<String> namespaces) {

	/** Label of a namespace that names its ring. */
	private static final String LABEL = "demo-ring";

	static final RingSite DEMO = new RingSite(Names.RING, List.of(Names.NAMESPACE));

	public RingSite {
		namespaces = List.copyOf(namespaces);
	}

	/** Where its shards have their Leases. */
	public String leaseNamespace() {
		return this.namespaces.get(0);
	}

	/**
	 * The manifest of a ring of these namespaces alone, from that of the example, with a
	 * resource that no shard knows.
	 */
	String manifest(String example) {
		return ofThis(example) + "    - group: chaos.example\n      resource: widgets\n"
				+ "  namespaceSelector:\n    matchLabels:\n      " + LABEL + ": " + this.name + "\n";
	}

	/** A manifest of the example for this ring. */
	String ofThis(String example) {
		return example.replace(Names.RING, this.name);
	}

	/** What tells that a namespace is of this ring. */
	Map<String, String> labels() {
		return Map.of(LABEL, this.name);
	}

}
