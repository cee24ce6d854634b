package dev.sharding.demo.held;

import java.util.List;
import java.util.Map;

import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.controller.ShardedController;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The checksum controller with names that the API server generates: nothing but its cache
 * keeps it from making a second ConfigMap for a Secret.
 */
public final class GeneratedChildren {

	private GeneratedChildren() {
	}

	/** Runs it as a shard that can be held. */
	public static void main(String[] arguments) {
		SpringApplication application = new SpringApplication(Application.class, HeldShard.Additions.class);
		application.setDefaultProperties(Map.of("spring.application.name", "checksum-controller"));
		application.run(arguments);
	}

	/** What it is made of. */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(ChildReconciler.class)
	public static class Application {

	}

	/** Keeps one ConfigMap for each Secret. */
	@ShardedController(owns = ConfigMap.class)
	public static class ChildReconciler implements Reconciler<Secret> {

		private final ResourceCache<ConfigMap> configMaps;

		/** Made by Spring. */
		public ChildReconciler(ResourceCache<ConfigMap> configMaps) {
			this.configMaps = configMaps;
		}

		@Override
		public Result reconcile(Secret secret) {
			List<ConfigMap> children = this.configMaps.list(ListOptions.all().controlledBy(secret));
			if (children.isEmpty()) {
				this.configMaps.create(child(secret));
			}
			else if (!Sums.of(secret).equals(children.get(0).getData())
					|| !stamp(secret).equals(children.get(0).getMetadata().getAnnotations())) {
				this.configMaps.update(new ConfigMapBuilder(children.get(0)).withData(Sums.of(secret))
					.editMetadata()
					.withAnnotations(stamp(secret))
					.endMetadata()
					.build());
			}
			return Result.done();
		}

		private static ConfigMap child(Secret secret) {
			return new ConfigMapBuilder().withNewMetadata()
				.withNamespace(secret.getMetadata().getNamespace())
				.withGenerateName(secret.getMetadata().getName() + "-")
				.addToLabels("secret", secret.getMetadata().getName())
				.withAnnotations(stamp(secret))
				.addNewOwnerReference()
				.withApiVersion("v1")
				.withKind("Secret")
				.withName(secret.getMetadata().getName())
				.withUid(secret.getMetadata().getUid())
				.withController(true)
				.endOwnerReference()
				.endMetadata()
				.withData(Sums.of(secret))
				.build();
		}

		private static Map<String, String> stamp(Secret secret) {
			return Map.of("checksums.example/secret-version", secret.getMetadata().getResourceVersion());
		}

	}

}
