package dev.sharding.sharder.webhook;

import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import dev.sharding.sharder.tls.CertificateSource;
import dev.sharding.sharder.tls.FileCertificates;
import dev.sharding.sharder.tls.SecretCertificates;
import dev.sharding.sharder.tls.ServingCertificate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The webhook of one replica: serves reviews, whoever the leader is, and keeps the
 * webhook configurations while this replica is the leader.
 */
public final class Webhook implements AutoCloseable {

	private static final Logger log = LoggerFactory.getLogger(Webhook.class);

	private static final Duration FILES_READ_EVERY = Duration.ofSeconds(10);

	private final RingViews rings;

	private final WebhookServer server;

	private final WebhookConfigurations configurations;

	private final CertificateSource certificates;

	/**
	 * Creates a webhook that does nothing before {@link #start()}.
	 * @param client the API server; it must outlive the webhook
	 * @param options how it works
	 * @param leading whether this replica is the leader, asked now and then
	 * @param registry where its metrics live
	 */
	public Webhook(KubernetesClient client, WebhookOptions options, BooleanSupplier leading, MeterRegistry registry) {
		this(client, options, leading, registry, InstantSource.system(), System::nanoTime);
	}

	Webhook(KubernetesClient client, WebhookOptions options, BooleanSupplier leading, MeterRegistry registry,
			InstantSource clock, LongSupplier nanoTime) {
		WebhookMetrics metrics = new WebhookMetrics(registry);
		this.rings = new RingViews(client, clock, metrics, this::ringsChanged);
		AdmissionHandler handler = new AdmissionHandler(new AdmissionReviews(client.getKubernetesSerialization()),
				this.rings::view, options.watching(), metrics);
		this.server = new WebhookServer(options.server(), handler, metrics, nanoTime);
		this.configurations = new WebhookConfigurations(client, options.template(), this.rings, leading);
		WebhookOptions.Certificates source = options.certificates();
		this.certificates = (source.certificate() != null && source.key() != null)
				? new FileCertificates(source.certificate(), source.key(), FILES_READ_EVERY, this::serve)
				: new SecretCertificates(client, source.secret(), options.template().hosts(), source.terms(), clock,
						this::serve);
	}

	/** Starts. Returns at once. */
	public void start() {
		this.rings.start().thenRun(this.configurations::changed);
		this.configurations.start();
		this.certificates.start();
	}

	/**
	 * Returns how the webhook fares.
	 * @return a snapshot
	 */
	public WebhookStatus status() {
		String source = this.certificates.problem();
		return new WebhookStatus(this.server.port(), this.rings.isSynced(), problem(source),
				this.configurations.problems());
	}

	/** Stops for good. The webhook configurations stay: another replica may serve. */
	@Override
	public void close() {
		this.certificates.close();
		this.configurations.close();
		this.server.close();
		this.rings.close();
		log.info("Stopped webhook");
	}

	/* First the certificate, then the configuration that makes the API server come. */
	private void serve(ServingCertificate certificate) {
		this.server.use(certificate);
		this.configurations.serving(certificate.authorities());
	}

	private void ringsChanged() {
		this.configurations.changed();
	}

	private @Nullable String problem(@Nullable String source) {
		return (source != null) ? source : this.server.problem();
	}

}
