/**
 * What the leader has seen and done in a ring lately, for people to look at. In: what
 * lists, watches and answers to patches show. Out: counts, moves, drains and objects
 * without owner, by names only. Nothing here asks the API server, and nothing decides by
 * it.
 */
@NullMarked
package dev.sharding.internal.sharder.activity;

import org.jspecify.annotations.NullMarked;
