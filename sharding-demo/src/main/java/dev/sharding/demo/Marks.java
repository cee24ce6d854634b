package dev.sharding.demo;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** Draws the lines between the steps into the audit log, for the judge to see. */
final class Marks {

	private static final String NAME = "judge-mark";

	private final KubernetesClient client;

	Marks(KubernetesClient client) {
		this.client = client;
		client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withName(NAME)
				.withNamespace(Names.SYSTEM_NAMESPACE)
				.endMetadata()
				.withData(Map.of("step", "start", "phase", "begin"))
				.build())
			.create();
	}

	void begin(String step) {
		write(step, "begin");
	}

	/** Says that all is quiet now: from here on the judge takes what it sees. */
	void quiescent(String step) {
		write(step, "quiescent");
	}

	private void write(String step, String phase) {
		MergePatch.send(this.client, "/api/v1/namespaces/" + Names.SYSTEM_NAMESPACE + "/configmaps/" + NAME,
				"{\"data\":{\"step\":\"%s\",\"phase\":\"%s\"}}".formatted(step, phase));
	}

}
