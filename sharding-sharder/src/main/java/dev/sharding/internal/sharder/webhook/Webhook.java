package dev.sharding.internal.sharder.webhook;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.http.CurrentKey;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.tls.CertificateSource;
import dev.sharding.internal.sharder.tls.FileCertificates;
import dev.sharding.internal.sharder.tls.SecretCertificates;
import dev.sharding.internal.sharder.tls.ServingCertificate;
import dev.sharding.internal.sharder.watch.SharedWatches;
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

	private final WebStack stack;

	private final RingViews rings;

	private final AdmissionReviews reviews;

	private final WebhookServer server;

	private final WebhookConfigurations configurations;

	private final WebhookReports reports;

	private final CertificateSource certificates;

	private final WebhookMetrics metrics;

	private final InstantSource clock;

	/* Of the certificate that is served with. */
	private volatile @Nullable Instant notAfter;

	/**
	 * Creates a webhook that does nothing before {@link #start()}.
	 * @param client the API server; it must outlive the webhook
	 * @param watches tell it of rings and shards; they must outlive the webhook, which
	 * starts them
	 * @param stack whose threads its server uses; it must outlive the webhook
	 * @param options how it works
	 * @param leading looks at what the leader writes, {@code null} while this replica is
	 * not the leader; asked now and then
	 * @param reports is told how the webhook configurations fare
	 * @param registry where its metrics live
	 */
	public Webhook(KubernetesClient client, SharedWatches watches, WebStack stack, WebhookOptions options,
			Supplier<@Nullable RequestGuard> leading, WebhookReports reports, MeterRegistry registry) {
		this(client, watches, stack, options, leading, reports, registry, InstantSource.system(), System::nanoTime);
	}

	Webhook(KubernetesClient client, SharedWatches watches, WebStack stack, WebhookOptions options,
			Supplier<@Nullable RequestGuard> leading, WebhookReports reports, MeterRegistry registry,
			InstantSource clock, LongSupplier nanoTime) {
		this.stack = stack;
		this.metrics = new WebhookMetrics(registry);
		this.clock = clock;
		this.rings = new RingViews(watches, options.leaseTrust(), clock, nanoTime, this.metrics, this::ringsChanged);
		this.reviews = new AdmissionReviews(client.getKubernetesSerialization());
		AdmissionHandler handler = new AdmissionHandler(this.reviews, this.rings::view, options.watching(),
				this.metrics);
		this.server = new WebhookServer(stack, options.server(), handler, this.metrics, nanoTime);
		this.reports = reports;
		this.configurations = new WebhookConfigurations(client, options.template(), options.watching(), this.rings,
				leading, reports, this::certificateProblem, nanoTime);
		this.certificates = certificates(client, options, clock);
	}

	private CertificateSource certificates(KubernetesClient client, WebhookOptions options, InstantSource clock) {
		WebhookOptions.Certificates wanted = options.certificates();
		if (wanted instanceof WebhookOptions.Files files) {
			return new FileCertificates(files.certificate(), files.key(), FILES_READ_EVERY, this::serve);
		}
		if (wanted instanceof WebhookOptions.Provided provided) {
			return provided.source().apply(this::serve);
		}
		WebhookOptions.Shared shared = (WebhookOptions.Shared) wanted;
		return new SecretCertificates(client, shared.secret(), options.template().hosts(), shared.terms(), clock,
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
		return new WebhookStatus(this.server.port(), this.rings.isSynced(), problem(source), this.reports.problems());
	}

	/**
	 * Returns what it serves with, for other servers that clients reach by the same name.
	 * @return the key and its certificate, empty before there is one
	 */
	public CurrentKey key() {
		return this.server.key();
	}

	/**
	 * Tells for how long one of the event loops of its server has not moved.
	 * @return about five seconds at most, while they are well
	 */
	public Duration still() {
		return this.stack.still();
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
		if (this.server.port() < 0) {
			WarmUp.run(this.reviews);
		}
		this.server.use(certificate);
		this.notAfter = certificate.notAfter();
		this.metrics.serving(certificate.notAfter(), this.clock);
		this.configurations.serving(certificate.authorities());
	}

	private void ringsChanged() {
		this.configurations.changed();
	}

	/*
	 * No certificate yet is none: the start takes a moment, and whatever fails says so.
	 */
	private @Nullable String certificateProblem() {
		String problem = problem(this.certificates.problem());
		return WebhookServer.NO_CERTIFICATE.equals(problem) ? null : problem;
	}

	private @Nullable String problem(@Nullable String source) {
		String problem = (source != null) ? source : this.server.problem();
		Instant end = this.notAfter;
		boolean expired = end != null && !this.clock.instant().isBefore(end);
		return (problem == null && expired) ? "The certificate expired at " + end : problem;
	}

}
