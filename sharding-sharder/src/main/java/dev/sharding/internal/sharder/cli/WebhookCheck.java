package dev.sharding.internal.sharder.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.diagnosis.CertificateLaw;
import dev.sharding.internal.sharder.diagnosis.Finding;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the webhook of a ring, if it has one. Of the Secret, only the certificate is
 * looked at, and nothing is printed but its times.
 */
final class WebhookCheck {

	private final Cluster cluster;

	private final String namespace;

	private final String secret;

	private boolean configured;

	WebhookCheck(Cluster cluster, String namespace, String secret) {
		this.cluster = cluster;
		this.namespace = namespace;
		this.secret = secret;
	}

	boolean isConfigured() {
		return this.configured;
	}

	List<Finding> of(String ring, Instant now) {
		String name = "controllerring-" + ring;
		List<Finding> findings = new ArrayList<>();
		try {
			MutatingWebhookConfiguration configuration = this.cluster.get(
					"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/" + name,
					MutatingWebhookConfiguration.class);
			this.configured = configuration != null;
			if (configuration != null) {
				for (MutatingWebhook webhook : configuration.getWebhooks()) {
					findings.addAll(CertificateLaw.of(name, webhook.getClientConfig().getCaBundle(),
							this.namespace + "/" + this.secret, certificate(), now));
				}
			}
		}
		catch (ApiException ex) {
			findings.add(Finding.note("webhook", "MutatingWebhookConfiguration " + name,
					"could not be read: " + ex.getMessage()));
		}
		return findings;
	}

	private @Nullable String certificate() {
		try {
			Secret found = this.cluster.get("/api/v1/namespaces/" + this.namespace + "/secrets/" + this.secret,
					Secret.class);
			return (found != null && found.getData() != null) ? found.getData().get("tls.crt") : null;
		}
		catch (ApiException ex) {
			return null;
		}
	}

}
