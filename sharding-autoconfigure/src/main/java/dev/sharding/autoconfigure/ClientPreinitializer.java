package dev.sharding.autoconfigure;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Loads the classes of a client on a thread of its own while the application starts, as
 * they are about as many as those of the rest of a small application. Sends nothing, and
 * is off with all its kind by {@code spring.backgroundpreinitializer.ignore=true}.
 */
final class ClientPreinitializer implements BackgroundPreinitializer {

	private static final String LEASE = "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{}}";

	@Override
	public void preinitialize() throws Exception {
		SSLContext tls = SSLContext.getInstance("TLS");
		tls.init(null, null, null);
		SSLEngine engine = tls.createSSLEngine();
		engine.setUseClientMode(true);
		engine.beginHandshake();
		try (KubernetesClient client = new KubernetesClientBuilder().withConfig(Config.empty()).build()) {
			client.getKubernetesSerialization().unmarshal(LEASE, Lease.class);
		}
	}

}
