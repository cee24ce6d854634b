package dev.sharding.controlplane;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * What the user's environment says about where to find programs.
 *
 * @param assets the folder that {@code KUBEBUILDER_ASSETS} names
 * @param cache the folder under which each set of versions has its own folder
 * @param download whether the published archive may be downloaded
 * @param searchPath where to look for {@code go}
 */
record Settings(@Nullable Path assets, Path cache, boolean download, List<Path> searchPath) {

	static final String CACHE_PROPERTY = "sharding.control-plane.cache";

	static final String CACHE_VARIABLE = "SHARDING_CONTROL_PLANE_CACHE";

	static final String DOWNLOAD_PROPERTY = "sharding.control-plane.download";

	static final String DOWNLOAD_VARIABLE = "SHARDING_CONTROL_PLANE_DOWNLOAD";

	static Settings fromEnvironment() {
		return from(System::getProperty, System.getenv());
	}

	static Settings from(Function<String, @Nullable String> properties, Map<String, String> variables) {
		String assets = variables.getOrDefault("KUBEBUILDER_ASSETS", "");
		String download = first(properties.apply(DOWNLOAD_PROPERTY), variables.get(DOWNLOAD_VARIABLE));
		List<Path> searchPath = Arrays.stream(variables.getOrDefault("PATH", "").split(File.pathSeparator))
			.filter((entry) -> !entry.isEmpty())
			.map(Path::of)
			.toList();
		return new Settings(assets.isEmpty() ? null : Path.of(assets), cache(properties, variables),
				!"false".equals(download), searchPath);
	}

	private static Path cache(Function<String, @Nullable String> properties, Map<String, String> variables) {
		String named = first(properties.apply(CACHE_PROPERTY), variables.get(CACHE_VARIABLE));
		if (named != null) {
			return Path.of(named).toAbsolutePath();
		}
		String caches = variables.get("XDG_CACHE_HOME");
		Path root = (caches != null && Path.of(caches).isAbsolute()) ? Path.of(caches)
				: home(variables).resolve(".cache");
		return root.resolve("sharding/control-plane");
	}

	private static Path home(Map<String, String> variables) {
		Path home = Path.of(System.getProperty("user.home"));
		// In a container, a user without an entry in the password file is at home at "?".
		return home.isAbsolute() ? home : Path.of(variables.getOrDefault("HOME", "")).toAbsolutePath();
	}

	private static @Nullable String first(@Nullable String property, @Nullable String variable) {
		String value = (property != null) ? property : variable;
		return (value == null || value.isBlank()) ? null : value;
	}

	/**
	 * The folder of the pinned versions of a toolset for this operating system and
	 * processor.
	 */
	Path home(Toolset toolset) {
		String platform = System.getProperty("os.name") + "-" + System.getProperty("os.arch");
		return this.cache.resolve((toolset.versions() + "-" + platform).replaceAll("[^A-Za-z0-9.-]", "_"));
	}

	/** The folder with the programs of a toolset that the user names. */
	Optional<Path> assets(Toolset toolset) {
		return (toolset == Toolset.CONTROL_PLANE) ? Optional.ofNullable(this.assets) : Optional.empty();
	}

	Optional<Path> go() {
		return this.searchPath.stream()
			.map((folder) -> folder.resolve("go"))
			.filter((file) -> Files.isRegularFile(file) && Files.isExecutable(file))
			.findFirst();
	}

}
