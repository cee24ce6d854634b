package dev.sharding.controlplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Asks the ways to get the programs one after the other: the folder of the user, the
 * cache, then each {@link Source} in its order.
 */
final class Installer {

	private static final Duration BEAT = Duration.ofSeconds(10);

	private final Toolset toolset;

	private final Settings settings;

	private final BinaryCache cache;

	private final LongSupplier nanos;

	private final Map<String, Source> sources;

	Installer(Toolset toolset, Settings settings) {
		this(toolset, settings, System::nanoTime, Sources.of(toolset, settings));
	}

	/**
	 * Creates an installer.
	 * @param sources the ways to install, by the name that messages use, in order
	 */
	Installer(Toolset toolset, Settings settings, LongSupplier nanos, Map<String, Source> sources) {
		this.toolset = toolset;
		this.settings = settings;
		this.cache = new BinaryCache(settings.home(toolset), toolset.programs());
		this.nanos = nanos;
		this.sources = sources;
	}

	/** The folder with the programs, if they are there. */
	Optional<Path> locate() {
		return this.settings.assets(this.toolset).map(this::useAssets).or(this.cache::find);
	}

	Path install(Consumer<String> progress) {
		Optional<Path> here = locate();
		if (here.isPresent()) {
			return here.get();
		}
		try (Heartbeat heartbeat = new Heartbeat(progress, BEAT, this.nanos);
				InstallLock lock = InstallLock.take(this.cache.lockFile(), heartbeat)) {
			// Somebody else may have installed them while this one waited for the lock.
			Optional<Path> cached = this.cache.find();
			return cached.isPresent() ? cached.get() : fetch(heartbeat);
		}
		catch (IOException ex) {
			throw new ControlPlaneUnavailableException("Failed to install " + this.toolset.title() + " into '" + home()
					+ "': " + ex + ". Make that folder writable, or name another one with " + Settings.CACHE_VARIABLE
					+ ((this.toolset == Toolset.CONTROL_PLANE)
							? ", or set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl." : "."));
		}
	}

	private Path useAssets(Path folder) {
		try {
			// The user chose the versions: the programs only have to run.
			for (Program program : this.toolset.programs()) {
				program.ask(folder);
			}
			return folder;
		}
		catch (IOException ex) {
			throw new ControlPlaneUnavailableException(
					"KUBEBUILDER_ASSETS is set to '" + folder + "', but its programs do not run: " + ex.getMessage()
							+ ". Put kube-apiserver, etcd and kubectl there, or remove KUBEBUILDER_ASSETS.");
		}
	}

	private Path fetch(Heartbeat heartbeat) throws IOException {
		if (this.cache.isOccupied()) {
			heartbeat.begin("the programs in " + home() + " do not run, replacing them");
		}
		List<String> failures = new ArrayList<>();
		for (Map.Entry<String, Source> source : this.sources.entrySet()) {
			Path folder = this.cache.createWorkFolder();
			try {
				source.getValue().fetch(folder, heartbeat);
				heartbeat.begin("running the programs once");
				this.cache.adopt(folder);
				heartbeat.begin("installed in " + home());
				return home();
			}
			catch (IOException | RuntimeException ex) {
				failures.add(source.getKey() + ": " + ex.getMessage());
				heartbeat.begin(source.getKey() + " does not work: " + ex.getMessage());
			}
			finally {
				remove(folder);
			}
		}
		throw new ControlPlaneUnavailableException(waysOut(failures));
	}

	private Path home() {
		return this.settings.home(this.toolset);
	}

	private static void remove(Path folder) {
		try {
			BinaryCache.delete(folder);
		}
		catch (IOException | UncheckedIOException ex) {
			// A download that was given up may still write there; the next one removes
			// it.
		}
	}

	private String waysOut(List<String> failures) {
		if (this.toolset != Toolset.CONTROL_PLANE) {
			return "No %s for the tests: nothing is cached, and it could not be built.\n  - %s\nInstall Go 1.26 or newer (https://go.dev/dl) and put 'go' on the PATH; it is then built once, in %s."
				.formatted(this.toolset.describe(), String.join("\n  - ", failures), this.toolset.buildTime());
		}
		return """
				No kube-apiserver %s, etcd %s and kubectl for the tests: nothing is cached, and every way to get them failed.
				  - %s
				Do one of these:
				  1. Install Go 1.26 or newer (https://go.dev/dl) and put 'go' on the PATH; the programs are then built once, in about five minutes.
				  2. Set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl (as setup-envtest prints it).
				  3. Allow access to github.com, so that the published archive can be downloaded; or name a cluster for the tests with KUBECONFIG and -D%s=true."""
			.formatted(Pins.KUBERNETES, Pins.ETCD, String.join("\n  - ", failures), NamedCluster.SWITCH_PROPERTY);
	}

}
