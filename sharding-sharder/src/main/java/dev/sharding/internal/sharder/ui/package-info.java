/**
 * The page of the sharder on the machine of whoever looks at it. In: a browser with a
 * one-time link, on loopback. Out: its requests for the page, with the token that a
 * browser cannot send, by a tunnel to the pod that leads.
 */
@NullMarked
package dev.sharding.internal.sharder.ui;

import org.jspecify.annotations.NullMarked;
