package com.example.josdk;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.assignment.Responsibility;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.resource.ResourceType;
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

/** Keeps a ConfigMap with the checksums of every Secret of the shard. A drain label changes no generation. */
@ControllerConfiguration(generationAwareEventProcessing = false)
class ChecksumReconciler implements Reconciler<Secret> {

	/** Annotation with the shard that wrote a ConfigMap last. */
	static final String WRITTEN_BY = "example.com/written-by";

	private static final ResourceType<Secret> SECRETS = ResourceType.of(Secret.class);

	private final Shard shard;

	private final Set<String> namespaces;

	private final String selector;

	ChecksumReconciler(Shard shard, Set<String> namespaces, String selector) {
		this.shard = shard;
		this.namespaces = namespaces;
		this.selector = selector;
	}

	@Override
	public List<EventSource<?, Secret>> prepareEventSources(EventSourceContext<Secret> context) {
		var configuration = InformerEventSourceConfiguration.from(ConfigMap.class, Secret.class)
			.withLabelSelector(this.selector);
		if (!this.namespaces.isEmpty()) {
			configuration.withNamespaces(this.namespaces);
		}
		return List.of(new InformerEventSource<>(configuration.build(), context));
	}

	@Override
	public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
		// One object is reconciled by one thread at a time, so nothing is under way when a drain is acknowledged.
		return switch (Responsibility.of(secret.getMetadata().getLabels(), this.shard.ring(), this.shard.name())) {
			case RECONCILE -> reconcileOwned(secret, context);
			case NOT_MINE -> UpdateControl.noUpdate();
			case ACKNOWLEDGE_DRAIN -> this.shard.drains().acknowledge(SECRETS, secret) ? UpdateControl.noUpdate()
					: UpdateControl.<Secret>noUpdate().rescheduleAfter(Duration.ofMillis(100));
		};
	}

	private UpdateControl<Secret> reconcileOwned(Secret secret, Context<Secret> context) {
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
				.resource(new ConfigMapBuilder(existing.get()).withData(checksums)
					.editMetadata()
					.addToAnnotations(WRITTEN_BY, this.shard.name())
					.endMetadata()
					.build())
				.update();
		}
		return UpdateControl.noUpdate();
	}

	private ConfigMap configMap(Secret secret, Map<String, String> checksums) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("checksums-" + secret.getMetadata().getName())
			.withNamespace(secret.getMetadata().getNamespace())
			// What the shard makes is the shard's: without the label its own watch would not see it.
			.addToLabels(ShardingLabels.shard(this.shard.ring()), this.shard.name())
			.addToAnnotations(WRITTEN_BY, this.shard.name())
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
			throw new IllegalStateException("Every JVM has SHA-256", ex);
		}
	}

}
