/**
 * Code of the user that runs in our threads. In: a call that begins or ends, and what
 * listeners are to hear. Out: a warning, a meter and a list for health once a call lasts
 * too long, and listeners that hold up nobody but themselves.
 */
@NullMarked
package dev.sharding.internal.kubernetes.usercode;

import org.jspecify.annotations.NullMarked;
