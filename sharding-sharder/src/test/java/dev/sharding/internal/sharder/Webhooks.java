package dev.sharding.internal.sharder;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.World.Repetition;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.http.WebStack;
import dev.sharding.internal.sharder.ring.WebhookReports;
import dev.sharding.internal.sharder.tls.CertificateSource;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.tls.TestCertificates;
import dev.sharding.internal.sharder.watch.SharedWatches;
import dev.sharding.internal.sharder.webhook.Webhook;
import dev.sharding.internal.sharder.webhook.WebhookOptions;
import dev.sharding.internal.sharder.webhook.WebhookTemplate;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.Ports;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The webhooks of a test, at a port of this machine each.
 */
final class Webhooks implements AutoCloseable {

	private final World world;

	private final WebStack stack = new WebStack();

	private final List<Webhook> started = new ArrayList<>();

	private final List<SharedWatches> watches = new ArrayList<>();

	private final Repetition shards;

	Webhooks(World world) {
		this.world = world;
		this.shards = world.sayThatLeasesAreThere();
	}

	Webhook startAndAwait() {
		Webhook webhook = start(Ports.next(), true, CertificateTerms.DEFAULT);
		awaitServing();
		return webhook;
	}

	Webhook start(int port, boolean watching, CertificateTerms terms) {
		Webhook webhook = create(port, watching, terms, true);
		webhook.start();
		return webhook;
	}

	Webhook create(int port, boolean watching, CertificateTerms terms, boolean leading) {
		return create(this.world.client, options(port, watching, terms), leading, new WebhookReports());
	}

	Webhook create(KubernetesClient client, WebhookOptions options, boolean leading, WebhookReports reports) {
		return create(client, options, () -> leading ? RequestGuard.NONE : null, reports);
	}

	Webhook create(KubernetesClient client, WebhookOptions options, Supplier<RequestGuard> leading,
			WebhookReports reports) {
		SharedWatches its = new SharedWatches(client);
		this.watches.add(its);
		Webhook webhook = new Webhook(client, its, this.stack, options, leading, reports, this.world.metrics);
		this.started.add(webhook);
		return webhook;
	}

	WebhookOptions options(int port, boolean watching, CertificateTerms terms) {
		return new WebhookOptions(watching, ServerOptions.DEFAULT.withAddress("127.0.0.1", port),
				WebhookTemplate.url("https://127.0.0.1:" + port, Set.of("kube-system")),
				new WebhookOptions.Shared(new ObjectKey(this.world.namespace, "sharder-webhook"), terms));
	}

	/* With a certificate of somebody else, and what he says about it later. */
	WebhookOptions provided(int port, Supplier<String> problem) {
		return new WebhookOptions(true, ServerOptions.DEFAULT.withAddress("127.0.0.1", port),
				WebhookTemplate.url("https://127.0.0.1:" + port, Set.of("kube-system")),
				new WebhookOptions.Provided((listener) -> new CertificateSource() {

					@Override
					public void start() {
						listener.accept(
								TestCertificates.create(Set.of("127.0.0.1"), CertificateTerms.DEFAULT, Instant.now()));
					}

					@Override
					public String problem() {
						return problem.get();
					}

					@Override
					public void close() {
					}

				}));
	}

	/* The API server learns of a configuration a moment after it is written. */
	void awaitServing() {
		World.await()
			.untilAsserted(() -> assertThat(
					this.world.shardOf(this.world.client.resource(unlabelled("probe")).dryRun(true).create()))
				.isNotNull());
	}

	Secret unlabelled(String name) {
		return new SecretBuilder().withNewMetadata()
			.withNamespace(this.world.namespace)
			.withName(name)
			.endMetadata()
			.build();
	}

	MutatingWebhookConfiguration configuration() {
		return this.world.client.admissionRegistration()
			.v1()
			.mutatingWebhookConfigurations()
			.withName("controllerring-" + this.world.ring)
			.get();
	}

	@Override
	public void close() {
		this.shards.end();
		this.started.forEach(Webhook::close);
		this.stack.close();
		this.watches.forEach(SharedWatches::close);
		this.world.client.admissionRegistration()
			.v1()
			.mutatingWebhookConfigurations()
			.withName("controllerring-" + this.world.ring)
			.delete();
	}

}
