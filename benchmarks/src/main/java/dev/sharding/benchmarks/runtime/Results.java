package dev.sharding.benchmarks.runtime;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the ConfigMaps of one namespace and tells when each was last right. A Secret
 * has one value; what its checksum should be is said beforehand.
 */
final class Results implements AutoCloseable {

	private final Map<String, String> expected = new ConcurrentHashMap<>();

	private final Map<String, Long> rightSince = new ConcurrentHashMap<>();

	private final SharedIndexInformer<ConfigMap> informer;

	Results(KubernetesClient client, String namespace) {
		this.informer = client.configMaps().inNamespace(namespace).runnableInformer(0);
		this.informer.addEventHandler(new ResourceEventHandler<>() {

			@Override
			public void onAdd(ConfigMap configMap) {
				seen(configMap);
			}

			@Override
			public void onUpdate(ConfigMap before, ConfigMap after) {
				seen(after);
			}

			@Override
			public void onDelete(ConfigMap configMap, boolean unknown) {
				// Nobody deletes any.
			}

		});
		this.informer.run();
	}

	private void seen(ConfigMap configMap) {
		long now = System.nanoTime();
		String secret = configMap.getMetadata().getOwnerReferences().get(0).getName();
		String checksum = (configMap.getData() != null) ? configMap.getData().get("value") : null;
		if (checksum != null && checksum.equals(this.expected.get(secret))) {
			this.rightSince.putIfAbsent(secret, now);
		}
	}

	/** From now on the ConfigMap of the Secret is right if it is made from this value. */
	void expect(String secret, String value) {
		this.expected.put(secret, sha256(value.getBytes(StandardCharsets.UTF_8)));
		this.rightSince.remove(secret);
	}

	int right() {
		return this.rightSince.size();
	}

	/** When its ConfigMap was first seen to be right, null if it is not. */
	@Nullable Long rightSince(String secret) {
		return this.rightSince.get(secret);
	}

	static String sha256(byte[] value) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This JVM has no SHA-256", ex);
		}
	}

	@Override
	public void close() {
		this.informer.stop();
	}

}
