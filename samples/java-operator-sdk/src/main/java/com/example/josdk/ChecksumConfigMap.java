package com.example.josdk;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** The checksums of one Secret. */
@KubernetesDependent
class ChecksumConfigMap extends CRUDKubernetesDependentResource<ConfigMap, Secret> {

	@Override
	protected ConfigMap desired(Secret secret, Context<Secret> context) {
		Map<String, String> checksums = new TreeMap<>();
		if (secret.getData() != null) {
			secret.getData().forEach((key, value) -> checksums.put(key, sha256(Base64.getDecoder().decode(value))));
		}
		return new ConfigMapBuilder().withNewMetadata()
			.withName("checksums-" + secret.getMetadata().getName())
			.withNamespace(secret.getMetadata().getNamespace())
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
