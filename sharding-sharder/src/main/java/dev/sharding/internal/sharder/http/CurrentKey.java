package dev.sharding.internal.sharder.http;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;

import dev.sharding.internal.sharder.tls.KeyMatch;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import org.jspecify.annotations.Nullable;

/**
 * Gives a TLS server the certificate of the moment. A new one counts for the next
 * handshake: the server is not touched, so there is no moment without one. Safe for use
 * by many threads.
 */
public final class CurrentKey extends X509ExtendedKeyManager {

	private static final List<String> TYPES = List.of("EC", "RSA", "EdDSA", "RSASSA-PSS");

	private volatile @Nullable Entry current;

	/* A handshake that began with it ends with it. */
	private volatile @Nullable Entry previous;

	/**
	 * Takes a certificate and its key for all handshakes that begin from now on.
	 * @param certificate the certificate
	 * @throws Exception if it cannot be read, or if the key is not that of the
	 * certificate, as when files were read while they were replaced; what was taken
	 * before stays. What a cause says may quote the key.
	 */
	public void use(ServingCertificate certificate) throws Exception {
		PemKeyCertOptions pem = new PemKeyCertOptions().addCertValue(Buffer.buffer(certificate.certificate()))
			.addKeyValue(Buffer.buffer(certificate.key()));
		use(pem.getKeyManagerFactory(null).getKeyManagers());
	}

	/**
	 * Takes the key of {@code managers} for all handshakes that begin from now on.
	 * @throws IllegalArgumentException if there is none
	 * @throws MismatchException if it is not the key of its certificate, as when files
	 * were read while they were replaced; what was taken before stays
	 */
	synchronized void use(KeyManager[] managers) throws MismatchException {
		for (KeyManager manager : managers) {
			if (manager instanceof X509KeyManager keys) {
				for (String type : TYPES) {
					String[] aliases = keys.getServerAliases(type, null);
					if (aliases != null && aliases.length > 0) {
						Entry next = new Entry("key-" + System.identityHashCode(manager) + "-" + aliases[0], type,
								keys.getCertificateChain(aliases[0]), keys.getPrivateKey(aliases[0]));
						if (!KeyMatch.matches(next.key, next.chain[0])) {
							throw new MismatchException();
						}
						this.previous = this.current;
						this.current = next;
						return;
					}
				}
			}
		}
		throw new IllegalArgumentException("no key");
	}

	/**
	 * Tells whether there is none so far.
	 * @return {@code true} before the first one
	 */
	public boolean isEmpty() {
		return this.current == null;
	}

	@Override
	public @Nullable String chooseEngineServerAlias(String type, Principal @Nullable [] issuers,
			@Nullable SSLEngine engine) {
		Entry now = this.current;
		return (now != null && now.type.equals(type)) ? now.alias : null;
	}

	@Override
	public X509Certificate @Nullable [] getCertificateChain(String alias) {
		Entry entry = find(alias);
		return (entry != null) ? entry.chain : null;
	}

	@Override
	public @Nullable PrivateKey getPrivateKey(String alias) {
		Entry entry = find(alias);
		return (entry != null) ? entry.key : null;
	}

	private @Nullable Entry find(String alias) {
		Entry now = this.current;
		if (now != null && now.alias.equals(alias)) {
			return now;
		}
		Entry last = this.previous;
		return (last != null && last.alias.equals(alias)) ? last : null;
	}

	@Override
	public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
		String alias = chooseEngineServerAlias(type, issuers, null);
		return (alias != null) ? new String[] { alias } : null;
	}

	@Override
	public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
		return chooseEngineServerAlias(type, issuers, null);
	}

	@Override
	public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
		return null;
	}

	@Override
	public @Nullable String chooseClientAlias(String @Nullable [] types, Principal @Nullable [] issuers,
			@Nullable Socket socket) {
		return null;
	}

	@SuppressWarnings("ArrayRecordComponent")
	private record Entry(String alias, String type, X509Certificate[] chain, PrivateKey key) {

		@Override
		public String toString() {
			return "Entry[hidden]";
		}

	}

	/**
	 * A private key and a certificate that do not belong together. The message holds
	 * nothing of either.
	 */
	public static final class MismatchException extends GeneralSecurityException {

		private static final long serialVersionUID = 1L;

		private MismatchException() {
			super("the private key is not that of the certificate");
		}

	}

}
