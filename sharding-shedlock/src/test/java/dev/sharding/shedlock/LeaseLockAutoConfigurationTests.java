package dev.sharding.shedlock;

import java.util.Optional;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseLockAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseLockAutoConfiguration.class));

	private final ApplicationContextRunner connected = this.runner.withBean(KubernetesClient.class,
			() -> client("here"));

	@Test
	void isTheLockProvider() {
		this.connected.run((context) -> assertThat(context).hasSingleBean(LockProvider.class)
			.hasSingleBean(LeaseLockProvider.class));
	}

	@Test
	void backsOff() {
		this.connected.withBean("own", LockProvider.class, () -> (configuration) -> Optional.empty())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaseLockProvider.class));
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProvider.class));
		this.connected.withClassLoader(new FilteredClassLoader(LockProvider.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseLockProvider"));
	}

	@Test
	void needsANamespace() {
		ApplicationContextRunner nowhere = this.runner.withBean(KubernetesClient.class, () -> client(null));
		nowhere.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidConfigurationPropertyValueException.class)
			.hasMessageContaining("sharding.lease.namespace"));
		nowhere.withPropertyValues("sharding.lease.namespace=there")
			.run((context) -> assertThat(context).hasSingleBean(LeaseLockProvider.class));
	}

	private static KubernetesClient client(String namespace) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withAutoConfigure(false)
				.withMasterUrl("https://127.0.0.1:1")
				.withNamespace(namespace)
				.build())
			.build();
	}

}
