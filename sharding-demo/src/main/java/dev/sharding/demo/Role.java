package dev.sharding.demo;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
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
 * @param heap how much memory it has for objects, such as {@code 56m}, empty for as much
 * as all have
 * @param programs those of another build, null for those of the stage
 * @param other a program that is not ours, null for ours
 */
public record Role(String name, @Nullable String main, Map<String, String> settings, @Nullable TcpProxy link,
		String heap, @Nullable Programs programs, @Nullable Path other) {

	public Role {
		settings = Map.copyOf(settings);
	}

	/** The program itself. */
	public static Role of(String name) {
		return new Role(name, null, Map.of(), null, "", null, null);
	}

	/** Another main class instead. */
	public Role running(String main) {
		return new Role(this.name, main, this.settings, this.link, this.heap, this.programs, this.other);
	}

	/** With one more environment variable. */
	public Role with(String variable, String value) {
		Map<String, String> settings = new LinkedHashMap<>(this.settings);
		settings.put(variable, value);
		return new Role(this.name, this.main, settings, this.link, this.heap, this.programs, this.other);
	}

	/** Behind that network. */
	public Role through(TcpProxy link) {
		return new Role(this.name, this.main, this.settings, link, this.heap, this.programs, this.other);
	}

	/** With another amount of memory for objects, such as {@code 56m}. */
	public Role withHeap(String other) {
		return new Role(this.name, this.main, this.settings, this.link, other, this.programs, this.other);
	}

	/** Of another build. */
	Role ofBuild(Programs others) {
		return new Role(this.name, this.main, this.settings, this.link, this.heap, others, this.other);
	}

	/** A shard that is not ours and takes arguments as the one of the benchmarks does. */
	Role runningOther(Path program) {
		return new Role(this.name, null, this.settings, this.link, this.heap, this.programs, program);
	}

	/** Without an environment variable that it would have else. */
	public Role without(String variable) {
		return with(variable, "");
	}

	/** The command that starts it, from the usual one. */
	List<String> command(List<String> usual) {
		return this.heap.isEmpty() ? usual
				: usual.stream().map((word) -> word.startsWith("-Xmx") ? "-Xmx" + this.heap : word).toList();
	}

}
