package dev.sharding.internal.sharder.webhook;

import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.shardlease.LeaseTrust;
import dev.sharding.internal.sharder.tls.CertificateSource;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.resource.ObjectKey;

/**
 * How the webhook works.
 *
 * @param watching whether a watch assigns what the webhook leaves unassigned (mode
 * {@code both})
 * @param server how it listens
 * @param template what all webhook configurations have in common
 * @param certificates where the serving certificate comes from
 * @param leaseTrust which Leases make a shard a member of its ring
 */
public record WebhookOptions(boolean watching, ServerOptions server, WebhookTemplate template,
		Certificates certificates, LeaseTrust leaseTrust) {

	/**
	 * Options that trust Leases as usual.
	 * @param watching whether a watch assigns what the webhook leaves unassigned
	 * @param server how it listens
	 * @param template what all webhook configurations have in common
	 * @param certificates where the serving certificate comes from
	 */
	public WebhookOptions(boolean watching, ServerOptions server, WebhookTemplate template, Certificates certificates) {
		this(watching, server, template, certificates, LeaseTrust.DEFAULT);
	}

	/**
	 * These options with other Leases that count.
	 * @param other which Leases make a shard a member of its ring
	 * @return the options
	 */
	public WebhookOptions withLeaseTrust(LeaseTrust other) {
		return new WebhookOptions(this.watching, this.server, this.template, this.certificates, other);
	}

	/**
	 * Where the serving certificate comes from.
	 */
	public sealed interface Certificates permits Shared, Files, Provided {

	}

	/**
	 * Certificates that the sharder makes and renews in a Secret.
	 *
	 * @param secret the Secret
	 * @param terms how long the certificates last
	 */
	public record Shared(ObjectKey secret, CertificateTerms terms) implements Certificates {
	}

	/**
	 * A certificate in files, which are read again and again.
	 *
	 * @param certificate the file with the certificate chain, PEM
	 * @param key the file with the private key, PEM
	 */
	public record Files(Path certificate, Path key) implements Certificates {
	}

	/**
	 * A certificate from elsewhere.
	 *
	 * @param source makes the source: it is given what must be told each certificate
	 */
	public record Provided(Function<Consumer<ServingCertificate>, CertificateSource> source) implements Certificates {
	}

}
