package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import dev.sharding.test.WatchedProcess;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;

/**
 * cert-manager as a process: its controllers and its injector, by a main of ours in
 * {@code src/test/go/cert-manager}, which pins its version.
 */
final class CertManager implements AutoCloseable {

	private static final String NAME = "cert-manager";

	private final WatchedProcess process;

	/** Builds it and starts it on an API server that has its definitions. */
	CertManager(KubernetesClient client, Path kubeconfig, Path folder) throws IOException, InterruptedException {
		Path program = GoProgram.build(NAME, folder);
		String module = GoProgram.go(NAME, "list", "-m", "-f", "{{.Dir}}", "github.com/cert-manager/cert-manager");
		try (DirectoryStream<Path> definitions = Files.newDirectoryStream(Path.of(module, "deploy", "crds"),
				"cert-manager.io_*.yaml")) {
			for (Path definition : definitions) {
				try (InputStream file = Files.newInputStream(definition)) {
					client.load(file).serverSideApply();
				}
			}
		}
		for (String kind : List.of("Certificate", "CertificateRequest", "Issuer")) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(90))
				.ignoreExceptions()
				.until(() -> client.genericKubernetesResources("cert-manager.io/v1", kind)
					.inAnyNamespace()
					.list() != null);
		}
		this.process = WatchedProcess.start(List.of(program.toString(), "--config=" + kubeconfig.toAbsolutePath()),
				folder.resolve("cert-manager.log"));
	}

	@Override
	public void close() {
		this.process.killNow();
	}

}
