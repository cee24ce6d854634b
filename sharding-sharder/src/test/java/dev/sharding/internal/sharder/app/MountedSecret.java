package dev.sharding.internal.sharder.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

/**
 * A Secret as files, changed as the kubelet does it: all of them in one step, by a link
 * that is replaced. The kubelet takes up to a minute or so for it, this a moment.
 */
final class MountedSecret implements Watcher<Secret>, AutoCloseable {

	private static final String CERTIFICATE = "tls.crt";

	private final Path folder;

	private final Set<String> certificates = ConcurrentHashMap.newKeySet();

	private final Watch watch;

	MountedSecret(KubernetesClient client, String namespace, String name, Path folder) throws IOException {
		this.folder = Files.createDirectories(folder);
		this.watch = client.secrets().inNamespace(namespace).withName(name).watch(this);
	}

	/** How many certificates there have been. */
	int certificates() {
		return this.certificates.size();
	}

	@Override
	public void eventReceived(Action action, Secret secret) {
		Map<String, String> data = secret.getData();
		if (data != null && data.containsKey(CERTIFICATE) && this.certificates.add(data.get(CERTIFICATE))) {
			try {
				mount(data);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	private void mount(Map<String, String> data) throws IOException {
		Path content = Files.createDirectories(this.folder.resolve("..data-" + this.certificates.size()));
		for (Map.Entry<String, String> file : data.entrySet()) {
			Files.write(content.resolve(file.getKey()), Base64.getDecoder().decode(file.getValue()));
		}
		Path link = this.folder.resolve("..data");
		Path next = this.folder.resolve("..data_tmp");
		Files.createSymbolicLink(next, content.getFileName());
		Files.move(next, link, StandardCopyOption.ATOMIC_MOVE);
		for (String name : data.keySet()) {
			Path file = this.folder.resolve(name);
			if (!Files.isSymbolicLink(file)) {
				Files.createSymbolicLink(file, Path.of("..data", name));
			}
		}
	}

	@Override
	public void onClose(WatcherException cause) {
		// The test sees that no certificate comes.
	}

	@Override
	public void close() {
		this.watch.close();
	}

}
