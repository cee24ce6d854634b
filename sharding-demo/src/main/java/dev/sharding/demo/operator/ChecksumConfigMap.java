package dev.sharding.demo.operator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

import dev.sharding.demo.held.Sums;

/** The ConfigMap of a Secret, as the SDK makes and compares it. Public for the SDK. */
@KubernetesDependent
public final class ChecksumConfigMap extends CRUDKubernetesDependentResource<ConfigMap, Secret> {

	@Override
	protected ConfigMap desired(Secret secret, Context<Secret> context) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName("checksums-" + secret.getMetadata().getName())
			.withNamespace(secret.getMetadata().getNamespace())
			.addToAnnotations("checksums.example/secret-version", secret.getMetadata().getResourceVersion())
			.endMetadata()
			.withData(Sums.of(secret))
			.build();
	}

	/*
	 * Of a Secret that was deleted and made again: no garbage collector runs here, which
	 * would have deleted the ConfigMap of the first one.
	 */
	@Override
	public ConfigMap update(ConfigMap actual, ConfigMap desired, Secret secret, Context<Secret> context) {
		ConfigMap owned = new ConfigMapBuilder(actual).editMetadata().withOwnerReferences().endMetadata().build();
		owned.addOwnerReference(secret);
		return super.update(owned, desired, secret, context);
	}

}
