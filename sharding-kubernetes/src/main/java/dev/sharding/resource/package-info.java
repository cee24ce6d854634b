/**
 * What is meant by "a resource" and "an object". In: fabric8 classes and definitions of
 * resources. Out: the names and paths of a resource, and the keys under which its objects
 * are kept. Pure values.
 */
@NullMarked
package dev.sharding.resource;

import org.jspecify.annotations.NullMarked;
