package dev.sharding.josdk;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.SSABasedGenericKubernetesResourceMatcher;
import org.junit.jupiter.api.Test;

import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class SdkMatcherTests {

	@Test
	void asksTheMatcherOfTheDependentAboutWhatIsSent() {
		try (KubernetesClient client = new KubernetesClientBuilder().build()) {
			ControlledStamp stamp = new ControlledStamp(client.getKubernetesSerialization(), "ring", () -> "shard-1");
			stamp.follow(
					new RingResources(
							Map.of(new GroupResource("", "secrets"), Set.of(new GroupResource("", "configmaps")))),
					List.of(ResourceType.of(Secret.class)));
			SdkMatcher<ConfigMap> matcher = new SdkMatcher<>(stamp, new OfTheUser());
			assertThat(matcher.matches(new ConfigMap(), owned(), context(client))).isTrue();
		}
	}

	private static ConfigMap owned() {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("a")
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName("a")
			.withUid("1")
			.endOwnerReference()
			.endMetadata()
			.build();
	}

	private static Context<?> context(KubernetesClient client) {
		return (Context<?>) Proxy.newProxyInstance(Context.class.getClassLoader(), new Class<?>[] { Context.class },
				(proxy, method, arguments) -> {
					assertThat(method.getName()).isEqualTo("getClient");
					return client;
				});
	}

	private static final class OfTheUser extends SSABasedGenericKubernetesResourceMatcher<ConfigMap> {

		@Override
		public boolean matches(ConfigMap actual, ConfigMap desired, Context<?> context) {
			return "shard-1".equals(desired.getMetadata().getLabels().get(ShardingLabels.shard("ring")));
		}

	}

}
