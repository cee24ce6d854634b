package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class InstallControlPlaneTests {

	private static final long PATIENCE_SECONDS = 120;

	@TempDir
	private Path folder;

	private Path runs;

	@BeforeEach
	void writeGo() throws IOException {
		this.runs = this.folder.resolve("runs");
		FakePrograms.writeGo(this.folder, this.runs);
	}

	@Test
	void buildsOnceWhenTwoProcessesInstallAtTheSameTime() throws Exception {
		List<Process> installers = List.of(start("first"), start("second"));
		for (Process installer : installers) {
			assertThat(installer.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
			assertThat(installer.exitValue()).isZero();
		}
		assertThat(this.runs).content().hasLineCount(1);
		assertThat(this.folder.resolve("first.out")).content()
			.isEqualTo(Files.readString(this.folder.resolve("second.out")))
			.contains("kube-apiserver=" + this.folder, "etcd=" + this.folder, "kubectl=" + this.folder);
	}

	@Test
	void stampsTheVersionAndBuildsInAPrivateFolder() throws Exception {
		assertThat(start("only").waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
		assertThat(this.runs).content()
			.contains(this.folder + "/cache/.work-")
			.contains(" build -trimpath -o ")
			.contains("-X k8s.io/component-base/version.gitVersion=v" + Pins.KUBERNETES)
			.contains("-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36 tool");
		assertThat(this.folder.resolve("only.err")).content()
			.contains("building kube-apiserver " + Pins.KUBERNETES)
			.contains("installed in");
	}

	@Test
	void doesNothingWhenIntegrationTestsAreSkipped() throws Exception {
		Process installer = start("skipped", "--unless=false", "--unless=true");
		assertThat(installer.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
		assertThat(installer.exitValue()).isZero();
		assertThat(this.folder.resolve("skipped.out")).isEmptyFile();
		assertThat(this.folder.resolve("cache")).doesNotExist();
	}

	private Process start(String name, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-cp",
				System.getProperty("java.class.path"), InstallControlPlane.class.getName()));
		command.addAll(List.of(arguments));
		ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(this.folder.resolve(name + ".out").toFile())
			.redirectError(this.folder.resolve(name + ".err").toFile());
		builder.environment().remove("KUBEBUILDER_ASSETS");
		builder.environment().remove(NamedCluster.SWITCH_VARIABLE);
		builder.environment().put("PATH", this.folder + ":" + System.getenv("PATH"));
		builder.environment().put(Settings.CACHE_VARIABLE, this.folder.resolve("cache").toString());
		builder.environment().put(Settings.DOWNLOAD_VARIABLE, "false");
		return builder.start();
	}

}
