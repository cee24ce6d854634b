package dev.sharding.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Of which build each process is that will be started: of this one, or of a former one,
 * whose folder the system property {@value #FOLDER} names.
 */
final class Builds {

	static final String FOLDER = "demo.former";

	private static final String RUN = "run ./upgrade, which builds a former version and plays with it";

	private final @Nullable Programs former;

	private final Set<String> ofFormer = new HashSet<>();

	private Builds(@Nullable Programs former) {
		this.former = former;
	}

	/** All are of this build. */
	static Builds one() {
		return new Builds(null);
	}

	/**
	 * A former one as well.
	 * @param launches where to lay its programs out
	 */
	static Builds two(Path launches) throws IOException {
		return new Builds(Launches.of(programsIn(System.getProperty(FOLDER)), launches).programs());
	}

	/** The programs in that folder. */
	static Programs programsIn(@Nullable String folder) {
		if (folder == null || folder.isEmpty()) {
			throw new IllegalStateException("The system property '%s' is not set: %s".formatted(FOLDER, RUN));
		}
		Path root = Path.of(folder).toAbsolutePath();
		if (!Files.isDirectory(root.resolve("sharding-demo/target"))) {
			throw new IllegalStateException("There are no programs in %s: %s".formatted(root, RUN));
		}
		return Programs.in(root);
	}

	/** Who comes next under these names is of the former build. */
	void former(String... names) {
		this.ofFormer.addAll(Set.of(names));
	}

	/** Who comes next under these names is of this build. */
	void present(String... names) {
		this.ofFormer.removeAll(Set.of(names));
	}

	/** Whether who comes next under that name is of the former build. */
	boolean isFormer(String name) {
		return this.ofFormer.contains(name);
	}

	/** The role, played by the programs of the build that it is to be of. */
	Role cast(Role role) {
		return isFormer(role.name()) ? role.ofBuild(programs()) : role;
	}

	/** The manifests of the former build. */
	Path config() {
		return programs().config();
	}

	private Programs programs() {
		if (this.former == null) {
			throw new IllegalStateException("There is no former build in this play");
		}
		return this.former;
	}

}
