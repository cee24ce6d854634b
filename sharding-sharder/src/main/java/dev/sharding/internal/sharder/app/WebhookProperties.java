package dev.sharding.internal.sharder.app;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sharding.internal.sharder.app.management.LimitProperties;
import dev.sharding.internal.sharder.http.RequestLimits;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.tls.CertificateTerms;
import dev.sharding.internal.sharder.webhook.WebhookOptions;
import dev.sharding.internal.sharder.webhook.WebhookTemplate;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Configuration of the webhook, in modes both and webhook.
 *
 * @param bindAddress Address to listen on.
 * @param port Port to listen on.
 * @param url Where the API server reaches the webhook; the service if not set.
 * @param service The Service by which the API server reaches the webhook.
 * @param caBundle Certificates that the API server trusts, base64 of PEM; needed only for
 * certificates from files that nobody injects.
 * @param annotations Annotations of the webhook configurations.
 * @param namespaceSelector Selects the namespaces for rings without a selector, also for
 * the watch; all but the excluded ones if not set.
 * @param certificate File with the serving certificate, PEM. If not set, the sharder
 * makes its own.
 * @param key File with its private key, PEM.
 * @param sslBundle Name of the SSL bundle with the serving certificate, instead of files.
 * A bundle that is reloaded on update is served with from then on.
 * @param secret The Secret with the certificates that the sharder makes.
 * @param limits What the listener of the webhook bears.
 */
@ConfigurationProperties("sharding.sharder.webhook")
record WebhookProperties(@DefaultValue("0.0.0.0") String bindAddress, @DefaultValue("9443") int port,
		@Nullable String url, @DefaultValue Service service, @Nullable String caBundle,
		@DefaultValue Map<String, String> annotations, @Nullable Selector namespaceSelector, @Nullable Path certificate,
		@Nullable Path key, @Nullable String sslBundle, @DefaultValue Certificates secret,
		@DefaultValue LimitProperties limits) {

	private static final Logger log = LoggerFactory.getLogger(WebhookProperties.class);

	private static final String INJECTION = "cert-manager.io/inject-";

	/* The port may have been taken. */
	private static final Duration SERVE_AGAIN = Duration.ofSeconds(10);

	WebhookProperties {
		if ((certificate == null) != (key == null)) {
			throw new IllegalArgumentException(
					"'sharding.sharder.webhook.certificate' and 'sharding.sharder.webhook.key' must be set both or not at all");
		}
		if (sslBundle != null && certificate != null) {
			throw new IllegalArgumentException(
					"'sharding.sharder.webhook.ssl-bundle' and 'sharding.sharder.webhook.certificate' must not both be set");
		}
	}

	/** What rings without a selector select, by the webhook and by the watch. */
	@Nullable LabelSelector selector() {
		return (this.namespaceSelector != null) ? this.namespaceSelector.toSelector() : null;
	}

	WebhookOptions toOptions(boolean watching, Set<String> excludedNamespaces, SslBundles bundles) {
		WebhookClientConfigBuilder client = new WebhookClientConfigBuilder().withCaBundle(this.caBundle);
		if (this.url != null) {
			client.withUrl(this.url);
		}
		else {
			client.withNewService()
				.withNamespace(this.service.namespace())
				.withName(this.service.name())
				.withPort(this.service.port())
				.endService();
		}
		LabelSelector selected = selector();
		LabelSelector namespaces = (selected != null) ? selected : WebhookTemplate.excluding(excludedNamespaces);
		WebhookOptions.Certificates certificates = certificates(bundles);
		ServerOptions server = new ServerOptions(this.bindAddress, this.port, this.limits.toConnectionLimits(),
				this.limits.toRequestLimits(RequestLimits.REVIEWS));
		return new WebhookOptions(watching, server,
				new WebhookTemplate(annotations(certificates), client.build(), namespaces), certificates);
	}

	/*
	 * Else cert-manager and the sharder would overwrite each other's CA bundle for ever.
	 */
	private Map<String, String> annotations(WebhookOptions.Certificates certificates) {
		if (!(certificates instanceof WebhookOptions.Shared)) {
			return this.annotations;
		}
		Map<String, String> kept = new LinkedHashMap<>(this.annotations);
		if (kept.keySet().removeIf((name) -> name.startsWith(INJECTION))) {
			log.warn(
					"The webhook configurations get no annotations {}*: the sharder makes its certificates itself;"
							+ " set sharding.sharder.webhook.certificate and .key to serve with those of cert-manager",
					INJECTION);
		}
		return kept;
	}

	private WebhookOptions.Certificates certificates(SslBundles bundles) {
		if (this.sslBundle != null) {
			// Now, as a name that does not exist is a mistake that ends the start.
			SslBundle bundle = bundles.getBundle(this.sslBundle);
			return new WebhookOptions.Provided((listener) -> new BundleCertificates(this.sslBundle, bundle,
					(changed) -> bundles.addBundleUpdateHandler(this.sslBundle, changed), listener, SERVE_AGAIN));
		}
		if (this.certificate != null && this.key != null) {
			return new WebhookOptions.Files(this.certificate, this.key);
		}
		return new WebhookOptions.Shared(new ObjectKey(this.secret.namespace(), this.secret.name()),
				new CertificateTerms(this.secret.authorityValidity(), this.secret.validity(), this.secret.overlap()));
	}

	/**
	 * The Service by which the API server reaches the webhook.
	 *
	 * @param namespace Its namespace.
	 * @param name Its name.
	 * @param port Its port, 443 if not set.
	 */
	record Service(@DefaultValue("sharding-system") String namespace, @DefaultValue("sharder") String name,
			@Nullable Integer port) {
	}

	/**
	 * The certificates that the sharder makes.
	 *
	 * @param namespace Namespace of the Secret.
	 * @param name Name of the Secret.
	 * @param authorityValidity How long a certificate authority is valid.
	 * @param validity How long a serving certificate is valid.
	 * @param overlap How long a new authority is trusted before it is used.
	 */
	record Certificates(@DefaultValue("sharding-system") String namespace, @DefaultValue("sharder-webhook") String name,
			@DefaultValue("1825d") Duration authorityValidity, @DefaultValue("90d") Duration validity,
			@DefaultValue("10m") Duration overlap) {
	}

	/**
	 * A label selector.
	 *
	 * @param matchLabels Labels and their values.
	 * @param matchExpressions Further requirements.
	 */
	record Selector(@DefaultValue Map<String, String> matchLabels, @DefaultValue List<Expression> matchExpressions) {

		LabelSelector toSelector() {
			LabelSelectorBuilder selector = new LabelSelectorBuilder();
			if (!this.matchLabels.isEmpty()) {
				selector.withMatchLabels(this.matchLabels);
			}
			this.matchExpressions.forEach((expression) -> selector.addNewMatchExpression()
				.withKey(expression.key())
				.withOperator(expression.operator())
				.withValues(expression.values())
				.endMatchExpression());
			return selector.build();
		}

	}

	/**
	 * A requirement of a label selector.
	 *
	 * @param key Key of the label.
	 * @param operator In, NotIn, Exists or DoesNotExist.
	 * @param values The values, for In and NotIn.
	 */
	record Expression(String key, String operator, @DefaultValue List<String> values) {
	}

}
