package dev.sharding.internal.sharder.app.management;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/**
 * Where to listen, by the properties that Spring Boot has for its own servers.
 *
 * @param property the property that names the port
 * @param host the address
 * @param port the port, 0 for any, negative for none
 */
record ManagementAddress(String property, String host, int port) {

	/** The main one, which has a port in any case. */
	static ManagementAddress main(Environment environment) {
		ManagementAddress set = of(environment, "server");
		return (set != null) ? set : new ManagementAddress("server.port", host(environment, "server"), 8080);
	}

	/** That of management, or {@code null} if it has none of its own. */
	static @Nullable ManagementAddress management(Environment environment) {
		return of(environment, "management.server");
	}

	private static @Nullable ManagementAddress of(Environment environment, String prefix) {
		String property = prefix + ".port";
		Integer port = environment.getProperty(property, Integer.class);
		return (port != null) ? new ManagementAddress(property, host(environment, prefix), port) : null;
	}

	private static String host(Environment environment, String prefix) {
		return environment.getProperty(prefix + ".address", "0.0.0.0");
	}

	/** Whether both are one listener. */
	boolean isSame(ManagementAddress other) {
		return this.port == other.port && this.port != 0;
	}

}
