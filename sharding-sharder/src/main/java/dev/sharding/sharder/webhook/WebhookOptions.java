package dev.sharding.sharder.webhook;

import java.nio.file.Path;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.sharder.tls.CertificateTerms;
import org.jspecify.annotations.Nullable;

/**
 * How the webhook works.
 *
 * @param watching whether a watch assigns what the webhook leaves unassigned (mode
 * {@code both})
 * @param server how it listens
 * @param template what all webhook configurations have in common
 * @param certificates where the serving certificate comes from
 */
public record WebhookOptions(boolean watching, ServerOptions server, WebhookTemplate template,
		Certificates certificates) {

	/**
	 * Where the serving certificate comes from: files if they are given, else a Secret
	 * that the sharder makes and renews.
	 *
	 * @param certificate the file with the certificate chain, PEM, or {@code null}
	 * @param key the file with the private key, PEM, or {@code null}
	 * @param secret the Secret
	 * @param terms how long the certificates in the Secret last
	 */
	public record Certificates(@Nullable Path certificate, @Nullable Path key, ObjectKey secret,
			CertificateTerms terms) {

		public Certificates {
			if ((certificate == null) != (key == null)) {
				throw new IllegalArgumentException("'certificate' and 'key' must be given both or not at all");
			}
		}

		/**
		 * Certificates of our own.
		 * @param namespace the namespace of the Secret
		 * @param name the name of the Secret
		 * @return the setting
		 */
		public static Certificates secret(String namespace, String name) {
			return new Certificates(null, null, new ObjectKey(namespace, name), CertificateTerms.DEFAULT);
		}

	}

}
