package dev.sharding.benchmarks.startup;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;

import dev.sharding.test.Access;
import io.fabric8.kubernetes.client.Config;

/**
 * What a pod gets to find its cluster: the address in variables, the token of its
 * ServiceAccount and the certificate of the cluster in files.
 */
final class PodEnvironment {

	private PodEnvironment() {
	}

	/**
	 * Writes the files, and names them.
	 * @param access whose token, and at which API server
	 * @param folder where the files go
	 */
	static Map<String, String> of(Access access, Path folder) throws IOException {
		Config config = access.config();
		URI server = URI.create(config.getMasterUrl());
		Files.createDirectories(folder);
		Path token = Files.writeString(folder.resolve("token"), config.getOauthToken());
		Path certificate = Files.write(folder.resolve("ca.crt"), Base64.getDecoder().decode(config.getCaCertData()));
		return Map.of("KUBERNETES_SERVICE_HOST", server.getHost(), "KUBERNETES_SERVICE_PORT",
				Integer.toString(server.getPort()), "KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN", token.toString(),
				"KUBERNETES_CERTS_CA_FILE", certificate.toString(), "KUBECONFIG", folder.resolve("none").toString());
	}

}
