package dev.sharding.resource;

/**
 * A resource without a version, as a ControllerRing names it.
 *
 * @param group the API group; empty for the core group
 * @param resource the plural name, such as {@code secrets}
 */
public record GroupResource(String group, String resource) {

	@Override
	public String toString() {
		return this.group.isEmpty() ? this.resource : this.resource + "." + this.group;
	}

}
