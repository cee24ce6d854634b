package dev.sharding.demo;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.sharding.test.TcpProxy;
import org.jspecify.annotations.Nullable;

/**
 * What a process is to be started as.
 *
 * @param name of the shard, or of the sharder
 * @param main class to run instead of the program's own, from the jar of the demo, null
 * for the program's own
 * @param settings environment variables on top of the usual ones
 * @param link the network between the process and the API server, null for none between
 */
public record Role(String name, @Nullable String main, Map<String, String> settings, @Nullable TcpProxy link) {

	public Role {
		settings = Map.copyOf(settings);
	}

	/** The program itself. */
	public static Role of(String name) {
		return new Role(name, null, Map.of(), null);
	}

	/** Another main class instead. */
	public Role running(String main) {
		return new Role(this.name, main, this.settings, this.link);
	}

	/** With one more environment variable. */
	public Role with(String variable, String value) {
		Map<String, String> settings = new LinkedHashMap<>(this.settings);
		settings.put(variable, value);
		return new Role(this.name, this.main, settings, this.link);
	}

	/** Behind that network. */
	public Role through(TcpProxy link) {
		return new Role(this.name, this.main, this.settings, link);
	}

}
