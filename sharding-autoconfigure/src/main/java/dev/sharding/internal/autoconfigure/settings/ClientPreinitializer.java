package dev.sharding.internal.autoconfigure.settings;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

import dev.sharding.internal.kubernetes.rest.http.ClientJson;

/**
 * Loads the classes of a client on a thread of its own while the application starts, as
 * they are about as many as those of the rest of a small application, and teaches its
 * JSON what a Lease is. Sends nothing, and is off with all its kind by
 * {@code spring.backgroundpreinitializer.ignore=true}.
 */
final class ClientPreinitializer implements BackgroundPreinitializer {

	@Override
	public void preinitialize() throws Exception {
		// First, so that the client does not come for it too early.
		KubernetesSerialization json = ClientJson.prepare();
		SSLContext tls = SSLContext.getInstance("TLS");
		tls.init(null, null, null);
		SSLEngine engine = tls.createSSLEngine();
		engine.setUseClientMode(true);
		engine.beginHandshake();
		new KubernetesClientBuilder().withConfig(Config.empty()).withKubernetesSerialization(json).build().close();
	}

}
