/**
 * The annotations by which a bean becomes a controller, and a customizer for all that
 * they do not say. In: a reconciler. Out: a controller that starts and stops with the
 * application.
 */
@NullMarked
package dev.sharding.controller;

import org.jspecify.annotations.NullMarked;
