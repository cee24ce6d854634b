package dev.sharding.benchmarks.josdk;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

/** For every Secret a ConfigMap with the SHA-256 of each of its values. */
@ControllerConfiguration(generationAwareEventProcessing = false)
class ChecksumReconciler implements Reconciler<Secret> {

	private final String namespace;

	ChecksumReconciler(String namespace) {
		this.namespace = namespace;
	}

	@Override
	public List<EventSource<?, Secret>> prepareEventSources(EventSourceContext<Secret> context) {
		return List.of(new InformerEventSource<>(
				InformerEventSourceConfiguration.from(ConfigMap.class, Secret.class)
					.withNamespaces(java.util.Set.of(this.namespace))
					.build(),
				context));
	}

	@Override
	public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
		Map<String, String> checksums = new TreeMap<>();
		if (secret.getData() != null) {
			secret.getData().forEach((key, value) -> checksums.put(key, sha256(Base64.getDecoder().decode(value))));
		}
		Optional<ConfigMap> existing = context.getSecondaryResource(ConfigMap.class);
		if (existing.isEmpty()) {
			context.getClient().resource(configMap(secret, checksums)).create();
		}
		else if (!checksums.equals(existing.get().getData())) {
			context.getClient()
				.resource(new ConfigMapBuilder(existing.get()).withData(checksums).build())
				.update();
		}
		return UpdateControl.noUpdate();
	}

	private static ConfigMap configMap(Secret secret, Map<String, String> checksums) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("checksums-" + secret.getMetadata().getName())
			.withNamespace(secret.getMetadata().getNamespace())
			.addToLabels("secret", secret.getMetadata().getName())
			.addNewOwnerReference()
			.withApiVersion("v1")
			.withKind("Secret")
			.withName(secret.getMetadata().getName())
			.withUid(secret.getMetadata().getUid())
			.withController(true)
			.endOwnerReference()
			.endMetadata()
			.withData(checksums)
			.build();
	}

	private static String sha256(byte[] value) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This JVM has no SHA-256", ex);
		}
	}

}
