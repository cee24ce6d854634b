/**
 * What applications see of the client of the API server. In: customizers and connection
 * details of the application, or a throttle of its own. Out: failures that say what was
 * asked, why it failed and when to ask again.
 */
@NullMarked
package dev.sharding.client;

import org.jspecify.annotations.NullMarked;
