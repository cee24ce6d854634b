/**
 * Read your writes, as a law. In: own writes (sent, returned, failed, outcome unknown),
 * the events of one feed of an informer, and the time. Out: what a reader sees for a key
 * or in a list, which event goes to whom, and what the shell must ask the API server.
 * <p>
 * {@link dev.sharding.internal.core.overlay.Overlay} is the door. One overlay belongs to
 * one feed, that is one list/watch of one resource; it has no lock, its caller serializes
 * calls. The rules and where they differ from other implementations:
 * {@code docs/decisions/0004-what-the-overlay-shows-and-filters.md}.
 */
@NullMarked
package dev.sharding.internal.core.overlay;

import org.jspecify.annotations.NullMarked;
