/**
 * From bytes to objects. In: bodies of lists and frames of watches, JSON or Protobuf.
 * Out: objects without what nobody reads, or metadata alone. Bytes are cut by
 * {@code JsonCursor}, and each object is parsed once by fabric8.
 */
@NullMarked
package dev.sharding.internal.kubernetes.informer.wire;

import org.jspecify.annotations.NullMarked;
