package dev.sharding.shedlock;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.fabric8.kubernetes.client.KubernetesClient;
import net.javacrumbs.shedlock.core.LockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.lang.Contract;

/**
 * Auto-configuration for ShedLock on Leases, unless there is another
 * {@link LockProvider}. The Leases are where those of shards and leaders are
 * ({@code sharding.lease.namespace}), and the application of a name shares its locks.
 */
@AutoConfiguration(afterName = { "dev.sharding.autoconfigure.KubernetesClientAutoConfiguration",
		"org.springframework.cloud.kubernetes.fabric8.Fabric8AutoConfiguration" })
@ConditionalOnClass(LockProvider.class)
@ConditionalOnBean(KubernetesClient.class)
public final class LeaseLockAutoConfiguration {

	private static final String NAMESPACE = "sharding.lease.namespace";

	@Bean
	@ConditionalOnMissingBean(LockProvider.class)
	LeaseLockProvider leaseLockProvider(KubernetesClient client, Environment environment) {
		return new LeaseLockProvider(client, namespace(client, environment),
				environment.getProperty("spring.application.name", "sharding"), host());
	}

	private static String namespace(KubernetesClient client, Environment environment) {
		String configured = environment.getProperty(NAMESPACE);
		String namespace = isSet(configured) ? configured : client.getConfiguration().getNamespace();
		if (!isSet(namespace)) {
			throw new InvalidConfigurationPropertyValueException(NAMESPACE, configured,
					"There is no namespace for the Leases of locks: this is no pod, and the kubeconfig context names none.");
		}
		return namespace;
	}

	@Contract("null -> false")
	private static boolean isSet(@Nullable String text) {
		return text != null && !text.isBlank();
	}

	private static String host() {
		String name = System.getenv("HOSTNAME");
		if (isSet(name)) {
			return name;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown-host";
		}
	}

}
