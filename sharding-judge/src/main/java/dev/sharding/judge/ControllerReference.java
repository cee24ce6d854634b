package dev.sharding.judge;

/**
 * The owner reference with {@code controller: true} of an object.
 *
 * @param group API group of the owner, empty for the core group
 * @param kind kind of the owner
 * @param name name of the owner
 * @param uid uid of the owner, empty if the reference lacks it
 */
record ControllerReference(String group, String kind, String name, String uid) {
}
