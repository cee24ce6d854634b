package dev.sharding.benchmarks.josdk;

import java.util.Optional;

import io.javaoperatorsdk.operator.Operator;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/**
 * Runs the checksum controller on java-operator-sdk, with ten workers and no leader
 * election.
 */
public final class ChecksumOperator {

	private ChecksumOperator() {
	}

	/** Runs until it is killed; KUBECONFIG says where, NAMESPACE in which namespace. */
	public static void main(String[] arguments) {
		String namespace = Optional.ofNullable(System.getenv("NAMESPACE")).orElse("default");
		Operator operator = new Operator((configuration) -> configuration
			.withKubernetesClient(new KubernetesClientBuilder().build())
			.withConcurrentReconciliationThreads(10)
			.withStopOnInformerErrorDuringStartup(true));
		operator.register(new ChecksumReconciler(namespace),
				(configuration) -> configuration.settingNamespace(namespace));
		operator.start();
	}

}
