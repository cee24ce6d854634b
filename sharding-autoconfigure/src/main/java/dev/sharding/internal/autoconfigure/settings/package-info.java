/**
 * What the properties say. In: properties under {@code sharding}. Out: checked settings
 * of the runtime, or a failure that names the property and says what to write. Nothing
 * here asks the API server.
 */
@NullMarked
package dev.sharding.internal.autoconfigure.settings;

import org.jspecify.annotations.NullMarked;
