/**
 * What an application changes of its shard. In: beans. Out: other options of the runtime,
 * and another way to end the application when it must end.
 */
@NullMarked
package dev.sharding.shard;

import org.jspecify.annotations.NullMarked;
