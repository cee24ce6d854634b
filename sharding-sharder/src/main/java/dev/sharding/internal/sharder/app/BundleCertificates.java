package dev.sharding.internal.sharder.app;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

import dev.sharding.internal.sharder.tls.CertificateSource;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.watch.EventLoop;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.ssl.SslBundle;

/**
 * The certificate of an SSL bundle, and again whenever the bundle is reloaded.
 */
final class BundleCertificates implements CertificateSource {

	private static final Logger log = LoggerFactory.getLogger(BundleCertificates.class);

	private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA", "Ed25519");

	private final String name;

	private final SslBundle first;

	private final Consumer<Consumer<SslBundle>> updates;

	private final Consumer<ServingCertificate> listener;

	private final EventLoop loop = new EventLoop("sharder-certificates");

	private final Duration again;

	/* On the loop only. */
	private @Nullable SslBundle latest;

	private volatile @Nullable String problem;

	/**
	 * Creates a source.
	 * @param name the name of the bundle
	 * @param first the bundle as it is now
	 * @param updates is given what is to be told later bundles
	 * @param listener is told each certificate, on a thread of the source
	 * @param again after how long a certificate that could not be served with is tried
	 * again
	 */
	BundleCertificates(String name, SslBundle first, Consumer<Consumer<SslBundle>> updates,
			Consumer<ServingCertificate> listener, Duration again) {
		this.name = name;
		this.first = first;
		this.updates = updates;
		this.listener = listener;
		this.again = again;
	}

	@Override
	public void start() {
		this.loop.execute(() -> tell(this.first));
		this.updates.accept((changed) -> this.loop.execute(() -> tell(changed)));
	}

	@Override
	public @Nullable String problem() {
		return this.problem;
	}

	@Override
	public void close() {
		this.loop.close();
	}

	/* Not what a cause says: it may quote the key. */
	private void tell(SslBundle bundle) {
		this.latest = bundle;
		try {
			this.listener.accept(certificate(bundle));
			log.info("Read the certificate of the webhook sslBundle={}", this.name);
			this.problem = null;
		}
		catch (RuntimeException ex) {
			this.problem = "Failed to serve with the SSL bundle '%s': %s".formatted(this.name,
					(ex instanceof IllegalStateException) ? ex.getMessage() : ex.getClass().getSimpleName());
			log.error("{}", this.problem);
			this.loop.schedule(() -> tellAgain(bundle), this.again);
		}
	}

	private void tellAgain(SslBundle bundle) {
		if (this.latest == bundle) {
			tell(bundle);
		}
	}

	private static ServingCertificate certificate(SslBundle bundle) {
		for (KeyManager manager : bundle.getManagers().getKeyManagers()) {
			if (manager instanceof X509KeyManager keys) {
				String alias = alias(bundle, keys);
				X509Certificate[] chain = (alias != null) ? keys.getCertificateChain(alias) : null;
				PrivateKey key = (alias != null) ? keys.getPrivateKey(alias) : null;
				if (chain != null && key != null) {
					return ServingCertificate.of(List.of(chain), key);
				}
			}
		}
		throw new IllegalStateException("it holds no certificate with a private key");
	}

	private static @Nullable String alias(SslBundle bundle, X509KeyManager keys) {
		if (bundle.getKey().getAlias() != null) {
			return bundle.getKey().getAlias();
		}
		for (String type : KEY_TYPES) {
			String[] aliases = keys.getServerAliases(type, null);
			if (aliases != null && aliases.length > 0) {
				return aliases[0];
			}
		}
		return null;
	}

}
