/**
 * What is meant by "a resource" and "an object". In: fabric8 classes, resource
 * definitions, the API server's discovery. Out: the resource's names and paths, and the
 * keys under which its objects are kept.
 */
@NullMarked
package dev.sharding.internal.kubernetes.resource;

import org.jspecify.annotations.NullMarked;
