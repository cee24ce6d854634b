/**
 * What a controller is made of. In: a reconciler, and what it declares of its resources.
 * Out: a result that says when to look again, conditions and Events for the people who
 * look at the object. The runtime that calls reconcilers is in
 * {@code dev.sharding.internal.kubernetes.reconcile}.
 */
@NullMarked
package dev.sharding.controller;

import org.jspecify.annotations.NullMarked;
