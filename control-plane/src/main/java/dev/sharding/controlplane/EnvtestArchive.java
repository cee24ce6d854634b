package dev.sharding.controlplane;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.fabric8.kubeapitest.KubeAPIServerConfig;
import io.fabric8.kubeapitest.KubeAPIServerConfigBuilder;
import io.fabric8.kubeapitest.binary.Binaries;
import io.fabric8.kubeapitest.binary.BinaryManager;

/**
 * Downloads the archive that the Kubernetes project publishes for tests, through the
 * library that knows its index. The library has no time-outs, so this asks for the index
 * first, and gives up within seconds where the network is closed.
 */
final class EnvtestArchive implements Source {

	private static final URI INDEX = URI
		.create("https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml");

	private static final Duration PROBE = Duration.ofSeconds(5);

	private static final Duration DOWNLOAD = Duration.ofMinutes(5);

	@Override
	public void fetch(Path folder, Heartbeat heartbeat) throws IOException {
		heartbeat.begin("looking for the published archive of " + Pins.KUBERNETES);
		within(PROBE, EnvtestArchive::probe);
		heartbeat.begin("downloading the published archive of " + Pins.KUBERNETES);
		Path download = folder.resolve("download");
		Binaries binaries = within(DOWNLOAD, () -> download(download));
		move(binaries.getApiServer().toPath(), Program.KUBE_APISERVER.in(folder));
		move(binaries.getEtcd().toPath(), Program.ETCD.in(folder));
		move(binaries.getKubectl().toPath(), Program.KUBECTL.in(folder));
		BinaryCache.delete(download);
	}

	private static Void probe() throws Exception {
		HttpClient client = HttpClient.newBuilder().connectTimeout(PROBE).build();
		HttpRequest request = HttpRequest.newBuilder(INDEX).timeout(PROBE).build();
		int status = client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
		if (status != 200) {
			throw new IOException("status " + status);
		}
		return null;
	}

	private static Binaries download(Path folder) {
		KubeAPIServerConfig config = KubeAPIServerConfigBuilder.anAPIServerConfig()
			.withTestDir(folder.toString())
			.withApiServerVersion(Pins.KUBERNETES)
			.withOfflineMode(false)
			.build();
		BinaryManager manager = new BinaryManager(config);
		manager.initAndDownloadIfRequired();
		return manager.binaries();
	}

	private static void move(Path from, Path to) throws IOException {
		Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
	}

	static <T> T within(Duration limit, Step<T> step) throws IOException {
		CompletableFuture<T> result = new CompletableFuture<>();
		// A thread of its own: name look-up and the library cannot be interrupted, only
		// left.
		Thread thread = new Thread(() -> {
			try {
				result.complete(step.run());
			}
			catch (Exception | LinkageError ex) {
				result.completeExceptionally(ex);
			}
		}, "control-plane-download");
		thread.setDaemon(true);
		thread.start();
		try {
			return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new IOException("no answer from " + INDEX.getHost() + " within " + limit.toSeconds() + " s", ex);
		}
		catch (ExecutionException ex) {
			throw new IOException("no download from " + INDEX.getHost() + ": " + ex.getCause(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException("Interrupted", ex);
		}
	}

	interface Step<T> {

		T run() throws Exception;

	}

}
