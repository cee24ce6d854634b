/**
 * The ring as the user writes it: the model of a ControllerRing, what its status says,
 * and the watch that starts and stops the work of a ring. In: ControllerRings, Namespaces
 * and the other rooms' reports. Out: the scope of a ring, and its status.
 */
@NullMarked
package dev.sharding.internal.sharder.ring;

import org.jspecify.annotations.NullMarked;
