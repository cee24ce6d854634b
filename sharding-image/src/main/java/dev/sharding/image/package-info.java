/**
 * The image of the sharder without a container engine. In: {@code config/Dockerfile}, the
 * packaged program, and a base. Out: an OCI archive with what the Dockerfile says. Called
 * by the build.
 */
@NullMarked
package dev.sharding.image;

import org.jspecify.annotations.NullMarked;
