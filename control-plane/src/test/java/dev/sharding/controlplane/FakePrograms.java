package dev.sharding.controlplane;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Shell scripts in the place of programs that take minutes to build.
 */
final class FakePrograms {

	private FakePrograms() {
	}

	/**
	 * Puts the three programs into a folder; each says that it has the pinned version.
	 */
	static void write(Path folder) throws IOException {
		script(Program.KUBE_APISERVER.in(folder), "echo Kubernetes v" + Pins.KUBERNETES);
		script(Program.ETCD.in(folder), "echo etcd Version: " + Pins.ETCD);
		script(Program.KUBECTL.in(folder), "echo Client Version: v" + Pins.KUBERNETES);
	}

	/** Writes a program that appends a line to a file each time it runs. */
	static void writeCounting(Program program, Path folder, Path runs, String version) throws IOException {
		script(program.in(folder), "echo run >>'" + runs + "'", "echo v" + version);
	}

	/**
	 * Writes a {@code go} that takes a second to "build" the three programs into the
	 * folder after {@code -o}.
	 */
	static void writeGo(Path folder, Path runs) throws IOException {
		script(folder.resolve("go"), "echo \"$PWD $*\" >>'" + runs + "'", "test -s go.mod && test -s go.sum || exit 1",
				"echo 'go: downloading example.com/one v1.0.0' >&2", "sleep 1",
				"while [ \"$1\" != -o ]; do shift; done",
				"write() { printf '#!/bin/sh\\necho v%s\\n' \"$2\" >\"$1\"; chmod +x \"$1\"; }",
				"write \"$2/kube-apiserver\" " + Pins.KUBERNETES, "write \"$2/kubectl\" " + Pins.KUBERNETES,
				"write \"$2/server\" " + Pins.ETCD);
	}

	/** Writes a {@code go} that "builds" helm. */
	static void writeGoOfHelm(Path folder, Path runs) throws IOException {
		script(folder.resolve("go"), "echo \"$PWD $*\" >>'" + runs + "'",
				"grep -q 'tool helm.sh/helm/v3/cmd/helm' go.mod && test -s go.sum || exit 1",
				"while [ \"$1\" != -o ]; do shift; done",
				"printf '#!/bin/sh\\necho v%s+g12345\\n' " + Pins.HELM + " >\"$2/helm\"; chmod +x \"$2/helm\"");
	}

	static void script(Path file, String... lines) throws IOException {
		Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n", StandardCharsets.UTF_8);
		Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
	}

}
