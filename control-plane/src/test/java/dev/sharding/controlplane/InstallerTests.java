package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class InstallerTests {

	@TempDir
	private Path folder;

	private Settings settings;

	private final List<String> progress = new CopyOnWriteArrayList<>();

	private final Map<String, Source> sources = new LinkedHashMap<>();

	@BeforeEach
	void configure() {
		this.settings = new Settings(null, this.folder.resolve("cache"), false, List.of());
		this.sources.put("fake", (folder, heartbeat) -> FakePrograms.write(folder));
	}

	@Test
	void locatesNothingInEmptyCache() {
		assertThat(locate()).isEmpty();
	}

	@Test
	void installsOnceAndFindsItAgain() throws IOException {
		ControlPlaneBinaries binaries = install();
		assertThat(binaries.etcd()).isEqualTo(this.settings.home(Toolset.CONTROL_PLANE).resolve("etcd")).isExecutable();
		assertThat(this.progress).last()
			.asString()
			.contains("installed in " + this.settings.home(Toolset.CONTROL_PLANE));
		this.sources.put("fake", (folder, heartbeat) -> {
			throw new IOException("must not be asked again");
		});
		assertThat(install()).isEqualTo(binaries);
		assertThat(locate()).contains(binaries);
		assertThat(filesIn(this.settings.cache())).containsExactlyInAnyOrder(
				this.settings.home(Toolset.CONTROL_PLANE).getFileName().toString(),
				this.settings.home(Toolset.CONTROL_PLANE).getFileName() + ".lock");
	}

	@Test
	void runsAProgramAgainOnlyAfterItChanged() throws IOException {
		Path runs = this.folder.resolve("runs");
		this.sources.put("fake", (folder, heartbeat) -> {
			FakePrograms.write(folder);
			FakePrograms.writeCounting(Program.ETCD, folder, runs, Pins.ETCD);
		});
		install();
		assertThat(locate()).isPresent();
		assertThat(locate()).isPresent();
		assertThat(runs).content().hasLineCount(1);
		Files.setLastModifiedTime(this.settings.home(Toolset.CONTROL_PLANE).resolve("etcd"), FileTime.fromMillis(1));
		assertThat(locate()).isPresent();
		assertThat(locate()).isPresent();
		assertThat(runs).content().hasLineCount(2);
	}

	@Test
	void replacesTruncatedProgram() throws IOException {
		install();
		Path etcd = this.settings.home(Toolset.CONTROL_PLANE).resolve("etcd");
		String good = Files.readString(etcd);
		Files.writeString(etcd, "");
		assertThat(locate()).isEmpty();
		this.progress.clear();
		install();
		assertThat(etcd).hasContent(good);
		assertThat(this.progress).anyMatch((line) -> line.contains("do not run, replacing them"));
		assertThat(locate()).isPresent();
	}

	@Test
	void replacesDamagedProgramThatStillTellsItsVersion() throws IOException {
		install();
		Path etcd = this.settings.home(Toolset.CONTROL_PLANE).resolve("etcd");
		String good = Files.readString(etcd);
		Files.writeString(etcd, good + "#");
		assertThat(locate()).isEmpty();
		install();
		assertThat(etcd).hasContent(good);
	}

	@Test
	void believesNoTruncatedMarker() throws IOException {
		install();
		Files.writeString(this.settings.home(Toolset.CONTROL_PLANE).resolve("verified"), "kube-api");
		assertThat(locate()).isPresent();
		assertThat(this.settings.home(Toolset.CONTROL_PLANE).resolve("verified")).content().contains("etcd sha256 ");
	}

	@Test
	void usesCacheWhoseMarkerCannotBeWritten() throws IOException {
		install();
		Path marker = this.settings.home(Toolset.CONTROL_PLANE).resolve("verified");
		Files.delete(marker);
		// Not by permissions: to the administrator everything is writable.
		Files.createDirectories(marker.resolve("occupied"));
		assertThat(locate()).isPresent();
	}

	@Test
	void saysWhatToDoWhenTheCacheCannotBeWritten() throws IOException {
		Path file = Files.writeString(this.folder.resolve("file"), "no folder");
		this.settings = new Settings(null, file.resolve("cache"), false, List.of());
		assertThatExceptionOfType(ControlPlaneUnavailableException.class).isThrownBy(this::install)
			.withMessageContaining("Failed to install the control plane into '" + file)
			.withMessageContaining("name another one with SHARDING_CONTROL_PLANE_CACHE");
	}

	@Test
	void replacesProgramOfAnotherVersion() throws IOException {
		install();
		FakePrograms.script(this.settings.home(Toolset.CONTROL_PLANE).resolve("kubectl"),
				"echo Client Version: v" + Pins.KUBERNETES + "0");
		assertThat(locate()).isEmpty();
		install();
		assertThat(this.settings.home(Toolset.CONTROL_PLANE).resolve("kubectl")).content()
			.doesNotContain(Pins.KUBERNETES + "0");
	}

	@Test
	void replacesCacheThatLacksAProgram() throws IOException {
		install();
		Files.delete(this.settings.home(Toolset.CONTROL_PLANE).resolve("kube-apiserver"));
		assertThat(locate()).isEmpty();
		assertThat(install().kubeApiserver()).isExecutable();
	}

	@Test
	void asksNextSourceWhenOneGivesProgramsThatDoNotRun() throws IOException {
		this.sources.clear();
		this.sources.put("broken", (folder, heartbeat) -> {
			FakePrograms.write(folder);
			FakePrograms.script(folder.resolve("etcd"), "exit 1");
		});
		this.sources.put("good", (folder, heartbeat) -> FakePrograms.write(folder));
		assertThat(install().etcd()).isExecutable();
		assertThat(this.progress).anyMatch((line) -> line.contains("broken does not work"));
	}

	@Test
	void removesWhatKilledInstallationsLeftBehind() throws IOException {
		Path left = Files.createDirectories(this.settings.cache()
			.resolve(".work-" + this.settings.home(Toolset.CONTROL_PLANE).getFileName() + "-1"));
		Files.writeString(left.resolve("half"), "half");
		install();
		assertThat(left).doesNotExist();
	}

	@Test
	void saysThreeWaysOutWithoutGoAndWithoutNetwork() {
		Installer installer = new Installer(Toolset.CONTROL_PLANE, this.settings);
		assertThatExceptionOfType(ControlPlaneUnavailableException.class)
			.isThrownBy(() -> installer.install(this.progress::add))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("go build: no go on the PATH")
				.contains("published archive: switched off by 'sharding.control-plane.download'")
				.contains("1. Install Go", "2. Set KUBEBUILDER_ASSETS", "3. Allow access")
				.contains("KUBECONFIG and -Dsharding.test.use-kubeconfig=true"));
		assertThat(this.settings.home(Toolset.CONTROL_PLANE)).doesNotExist();
	}

	@Test
	void usesTheFolderThatTheUserNames() throws IOException {
		Path assets = Files.createDirectory(this.folder.resolve("assets"));
		FakePrograms.write(assets);
		// Another version than ours: the user's choice.
		FakePrograms.script(assets.resolve("etcd"), "echo etcd Version: 3.5.0");
		this.settings = new Settings(assets, this.folder.resolve("cache"), false, List.of());
		assertThat(locate()).contains(ControlPlaneBinaries.in(assets));
		assertThat(install().etcd()).isEqualTo(assets.resolve("etcd"));
		assertThat(this.settings.cache()).doesNotExist();
	}

	@Test
	void complainsAboutFolderOfTheUserThatDoesNotWork() {
		this.settings = new Settings(this.folder, this.folder.resolve("cache"), false, List.of());
		assertThatExceptionOfType(ControlPlaneUnavailableException.class).isThrownBy(this::install)
			.withMessageContaining("KUBEBUILDER_ASSETS is set to '" + this.folder + "'")
			.withMessageContaining("is no executable file");
	}

	@Test
	void quotesGoWhenItFails() throws IOException {
		FakePrograms.script(this.folder.resolve("go"), "echo 'go: downloading example.com/one v1.0.0'",
				"echo 'go: no such host' >&2", "exit 1");
		this.settings = new Settings(null, this.folder.resolve("cache"), false, List.of(this.folder));
		Installer installer = new Installer(Toolset.CONTROL_PLANE, this.settings);
		assertThatExceptionOfType(ControlPlaneUnavailableException.class)
			.isThrownBy(() -> installer.install(this.progress::add))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("'go build' ended with 1: go: no such host"));
	}

	@Test
	void keepsHelmApartFromTheControlPlane() throws IOException {
		FakePrograms.writeGoOfHelm(this.folder, this.folder.resolve("runs"));
		// The control plane of the user's choice has no helm.
		this.settings = new Settings(this.folder.resolve("assets"), this.folder.resolve("cache"), false,
				List.of(this.folder));
		Path helm = new Installer(Toolset.HELM, this.settings).install(this.progress::add);
		assertThat(helm).isEqualTo(this.settings.home(Toolset.HELM))
			.isNotEqualTo(this.settings.home(Toolset.CONTROL_PLANE));
		assertThat(new Installer(Toolset.HELM, this.settings).locate()).contains(helm);
		assertThat(this.folder.resolve("runs")).content()
			.contains("-X helm.sh/helm/v3/internal/version.version=v" + Pins.HELM)
			.contains("-X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=36");
		assertThat(this.progress).anyMatch((line) -> line.contains("building helm " + Pins.HELM));
	}

	@Test
	void saysWhatHelmNeedsWithoutGo() {
		Installer installer = new Installer(Toolset.HELM, this.settings);
		assertThatExceptionOfType(ControlPlaneUnavailableException.class)
			.isThrownBy(() -> installer.install(this.progress::add))
			.satisfies((ex) -> assertThat(ex.getMessage())
				.contains("No helm " + Pins.HELM, "go build: no go on the PATH", "Install Go")
				.doesNotContain("KUBEBUILDER_ASSETS"));
	}

	private ControlPlaneBinaries install() {
		return ControlPlaneBinaries.in(installer().install(this.progress::add));
	}

	private Optional<ControlPlaneBinaries> locate() {
		return installer().locate().map(ControlPlaneBinaries::in);
	}

	private Installer installer() {
		return new Installer(Toolset.CONTROL_PLANE, this.settings, System::nanoTime, this.sources);
	}

	private static List<String> filesIn(Path folder) throws IOException {
		try (Stream<Path> files = Files.list(folder)) {
			return files.map((file) -> file.getFileName().toString()).toList();
		}
	}

}
