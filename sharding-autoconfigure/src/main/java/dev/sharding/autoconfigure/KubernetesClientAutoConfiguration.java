package dev.sharding.autoconfigure;

import java.io.FileNotFoundException;
import java.nio.file.FileSystemException;
import java.util.Objects;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.NestedExceptionUtils;

import dev.sharding.client.KubernetesClientCustomizer;
import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.internal.autoconfigure.runtime.Customizers;
import dev.sharding.internal.autoconfigure.settings.ShardingStartupException;
import dev.sharding.internal.kubernetes.rest.http.ClientJson;
import dev.sharding.internal.kubernetes.rest.http.Kubeconfig;
import dev.sharding.internal.kubernetes.rest.http.QuietHttpClients;
import dev.sharding.internal.kubernetes.rest.http.TrafficLog;

/**
 * Auto-configuration for a client, found as {@code kubectl} finds its cluster: in the
 * pod, in {@code KUBECONFIG}, or in the home directory. A bean of type
 * {@link KubernetesConnectionDetails} goes before all of them. Where Spring Cloud
 * Kubernetes makes a client, it is that one.
 */
@AutoConfiguration(afterName = "org.springframework.cloud.kubernetes.fabric8.Fabric8AutoConfiguration")
public final class KubernetesClientAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	KubernetesClient kubernetesClient(ObjectProvider<KubernetesConnectionDetails> connection,
			ObjectProvider<KubernetesClientCustomizer> customizers, ListableBeanFactory factory) {
		KubernetesConnectionDetails details = connection.getIfAvailable();
		KubernetesClientBuilder builder = (details != null)
				? new KubernetesClientBuilder().withHttpClientFactory(QuietHttpClients.forAnyCode())
					.withKubernetesSerialization(ClientJson.take())
				: Kubeconfig.newBuilder();
		if (details != null) {
			Customizers.ask(KubernetesConnectionDetails.class, details, factory,
					(asked) -> builder.withConfig(config(asked)));
		}
		builder.withHttpClientBuilderConsumer(TrafficLog::remove);
		Customizers.ask(KubernetesClientCustomizer.class, customizers, factory,
				(customizer) -> customizer.customize(builder));
		return build(builder);
	}

	/* Whatever it promises, it is a bean of the user. */
	private static Config config(KubernetesConnectionDetails details) {
		return Objects.requireNonNull(details.config(), "it has no configuration");
	}

	private static KubernetesClient build(KubernetesClientBuilder builder) {
		try {
			return builder.build();
		}
		catch (RuntimeException ex) {
			throw new ShardingStartupException("No client for the cluster can be made: " + reason(ex),
					"Check the file that KUBECONFIG names, or ~/.kube/config, and the files that it names;"
							+ " in a pod, the files of the service account.",
					ex);
		}
	}

	/* Without the message of a parser, which quotes the file and so its secrets. */
	private static String reason(RuntimeException ex) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(ex);
		return (root instanceof FileSystemException || root instanceof FileNotFoundException
				|| root instanceof KubernetesClientException) ? root.toString()
						: "its configuration cannot be read (%s)".formatted(root.getClass().getName());
	}

}
