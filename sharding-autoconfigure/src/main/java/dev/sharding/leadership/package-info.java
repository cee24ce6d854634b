/**
 * Leadership for beans. In: methods that only the leader may run. Out: calls that are
 * skipped elsewhere, and events when leadership comes and goes.
 */
@NullMarked
package dev.sharding.leadership;

import org.jspecify.annotations.NullMarked;
