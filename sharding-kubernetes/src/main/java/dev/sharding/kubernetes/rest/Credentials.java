package dev.sharding.kubernetes.rest;

import java.io.File;
import java.io.IOException;

import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import io.fabric8.kubernetes.client.utils.Utils;

/**
 * What a configuration says of who is asking.
 */
final class Credentials {

	private Credentials() {
	}

	/**
	 * Whether all that there can ever be is a client certificate.
	 * @param config the configuration
	 * @return {@code false} if it has a token or a password, or may come to have one
	 */
	static boolean areCertificateOnly(Config config) {
		boolean certificate = Utils.isNotNullOrEmpty(config.getClientCertData())
				|| Utils.isNotNullOrEmpty(config.getClientCertFile());
		return certificate && config.getOauthTokenProvider() == null && config.getAuthProvider() == null
				&& Utils.isNullOrEmpty(config.getOauthToken()) && Utils.isNullOrEmpty(config.getAutoOAuthToken())
				&& Utils.isNullOrEmpty(config.getUsername()) && Utils.isNullOrEmpty(config.getPassword())
				&& !asksPlugin(config);
	}

	/* The configuration keeps what a plugin gave, but not that it was asked. */
	private static boolean asksPlugin(Config config) {
		NamedContext current = config.getCurrentContext();
		File file = KubeConfigUtils.getFileWithNamedAuthInfo(current);
		Context context = (current != null) ? current.getContext() : null;
		if (file == null || context == null) {
			return false;
		}
		try {
			return Kubeconfig.users(file)
				.stream()
				.anyMatch((user) -> user.getName().equals(context.getUser()) && user.getUser() != null
						&& user.getUser().getExec() != null);
		}
		catch (IOException | RuntimeException ex) {
			return true;
		}
	}

}
