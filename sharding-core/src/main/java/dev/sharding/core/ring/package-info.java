/**
 * The hash ring. In: the names of the available shards, and a sharding key. Out: the
 * shard that should own the object. Everybody who asks "whose is it?" asks here: the
 * sharder at assignment and resync, the webhook, and judges.
 */
@NullMarked
package dev.sharding.core.ring;

import org.jspecify.annotations.NullMarked;
