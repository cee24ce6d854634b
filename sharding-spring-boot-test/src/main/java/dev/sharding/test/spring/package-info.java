/**
 * Tests of sharded controllers in Spring Boot. In: a test class with
 * {@link dev.sharding.test.spring.ShardingTest}. Out: the application as a shard of a
 * ring of its own, on a real API server, with a sharder, both with the roles of an
 * installation; handles to ask for drains, to take Leases away and to start more shards;
 * assertions.
 */
@NullMarked
package dev.sharding.test.spring;

import org.jspecify.annotations.NullMarked;
