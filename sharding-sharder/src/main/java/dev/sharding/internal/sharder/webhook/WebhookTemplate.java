package dev.sharding.internal.sharder.webhook;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What the webhook configurations of all rings have in common (protocol section 1.4).
 *
 * @param annotations annotations to copy
 * @param clientConfig how the API server reaches the webhook; the path of the ring is
 * added
 * @param namespaceSelector selects the namespaces for rings that have no selector
 */
public record WebhookTemplate(Map<String, String> annotations, WebhookClientConfig clientConfig,
		LabelSelector namespaceSelector) {

	public WebhookTemplate {
		annotations = Map.copyOf(annotations);
	}

	/**
	 * The template for a Service.
	 * @param namespace its namespace
	 * @param name its name
	 * @param excludedNamespaces the namespaces whose objects are left alone
	 * @return the template
	 */
	public static WebhookTemplate service(String namespace, String name, Set<String> excludedNamespaces) {
		return new WebhookTemplate(Map.of(),
				new WebhookClientConfigBuilder().withNewService()
					.withNamespace(namespace)
					.withName(name)
					.endService()
					.build(),
				excluding(excludedNamespaces));
	}

	/**
	 * The template for a URL.
	 * @param url where the API server reaches the webhook, without the path of the ring
	 * @param excludedNamespaces the namespaces whose objects are left alone
	 * @return the template
	 */
	public static WebhookTemplate url(String url, Set<String> excludedNamespaces) {
		return new WebhookTemplate(Map.of(), new WebhookClientConfigBuilder().withUrl(url).build(),
				excluding(excludedNamespaces));
	}

	/**
	 * Returns the default selector.
	 * @param namespaces the namespaces to leave out
	 * @return the selector
	 */
	public static LabelSelector excluding(Set<String> namespaces) {
		return new LabelSelectorBuilder().addNewMatchExpression()
			.withKey("kubernetes.io/metadata.name")
			.withOperator("NotIn")
			.withValues(namespaces.stream().sorted().toList())
			.endMatchExpression()
			.build();
	}

	/** The names by which the API server knows the webhook, for its certificate. */
	Set<String> hosts() {
		Set<String> hosts = new LinkedHashSet<>();
		if (this.clientConfig.getUrl() != null) {
			String host = URI.create(this.clientConfig.getUrl()).getHost();
			if (host == null) {
				throw new IllegalArgumentException("'url' of the webhook names no host");
			}
			hosts.add((host.startsWith("[")) ? host.substring(1, host.length() - 1) : host);
		}
		else {
			String name = this.clientConfig.getService().getName() + "."
					+ this.clientConfig.getService().getNamespace();
			hosts.add(name);
			hosts.add(name + ".svc");
			hosts.add(name + ".svc.cluster.local");
		}
		return hosts;
	}

	/** How the API server reaches the webhook for one ring. */
	WebhookClientConfig clientConfig(String ring, @Nullable String caBundle) {
		WebhookClientConfigBuilder config = new WebhookClientConfigBuilder(this.clientConfig);
		if (this.clientConfig.getUrl() != null) {
			String url = this.clientConfig.getUrl();
			config.withUrl((url.endsWith("/") ? url.substring(0, url.length() - 1) : url) + WebhookPaths.of(ring));
		}
		else {
			config.editService().withPath(WebhookPaths.of(ring)).endService();
		}
		if (caBundle != null) {
			config.withCaBundle(caBundle);
		}
		return config.build();
	}

}
