package dev.sharding.internal.sharder.app;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

/**
 * Every private key and every authority that was ever in the Secret of the sharder.
 */
final class KeyWatch implements Watcher<Secret>, AutoCloseable {

	private final Set<String> keys = ConcurrentHashMap.newKeySet();

	private final Set<String> authorities = ConcurrentHashMap.newKeySet();

	private final Watch watch;

	KeyWatch(KubernetesClient client) {
		this.watch = client.secrets().inNamespace("sharding-system").withName("sharder-webhook").watch(this);
	}

	/** How often the trusted authorities have changed, the first time included. */
	int rotations() {
		return this.authorities.size();
	}

	/** What must not be found anywhere: parts of the keys as they are and in base64. */
	List<String> traces() {
		List<String> traces = new ArrayList<>();
		for (String encoded : this.keys) {
			String pem = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
			List<String> body = pem.lines().filter((line) -> !line.startsWith("-----")).toList();
			// The beginning is the same for all keys of a kind.
			traces.add(body.get(1));
			traces.add(encoded.substring(encoded.length() - 120, encoded.length() - 60));
		}
		return traces;
	}

	@Override
	public void eventReceived(Action action, Secret secret) {
		if (secret.getData() != null) {
			this.keys.add(secret.getData().get("ca.key"));
			this.keys.add(secret.getData().get("tls.key"));
			this.authorities.add(secret.getData().get("ca.crt"));
		}
	}

	@Override
	public void onClose(WatcherException cause) {
		// The test counts what came.
	}

	@Override
	public void close() {
		this.watch.close();
	}

}
