package dev.sharding.internal.sharder.ui;

import java.net.Socket;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

import org.jspecify.annotations.Nullable;

/**
 * Takes any certificate: for the end of a {@link Tunnel}, where the API server vouches
 * for the pod. Its certificate is for the name of the Service, by an authority that
 * nobody here knows.
 */
final class TunnelTrust extends X509ExtendedTrustManager {

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {
	}

	@Override
	public void checkClientTrusted(X509Certificate[] chain, String type) {
	}

	@Override
	public void checkServerTrusted(X509Certificate[] chain, String type) {
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return new X509Certificate[0];
	}

}
