package dev.sharding.internal.sharder.app.management;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import dev.sharding.internal.sharder.app.GoProgram;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * A node with a kubelet of which the way to the ports of its pods is there and nothing
 * else.
 */
final class Kubelet implements AutoCloseable {

	private static final String NODE = "node-1";

	private final KubernetesClient client;

	private final Process process;

	/**
	 * Builds it and starts it.
	 * @param port where all ports of all pods lead
	 */
	Kubelet(KubernetesClient client, String port, Path folder) throws IOException, InterruptedException {
		this.client = client;
		this.process = new ProcessBuilder(GoProgram.build("kubelet", folder).toString(), "--to=127.0.0.1:" + port)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8);
		Node node = new NodeBuilder().withNewMetadata().withName(NODE).endMetadata().build();
		client.resource(node).create();
		client
			.resource(new NodeBuilder(node).withNewStatus()
				.addNewAddress("127.0.0.1", "InternalIP")
				.withNewDaemonEndpoints()
				.withNewKubeletEndpoint(Integer.parseInt(output.readLine()))
				.endDaemonEndpoints()
				.endStatus()
				.build())
			.updateStatus();
	}

	/** A pod of its node that runs. */
	void run(String namespace, String name) {
		Pod pod = this.client
			.resource(new PodBuilder().withNewMetadata()
				.withNamespace(namespace)
				.withName(name)
				.endMetadata()
				.withNewSpec()
				.withNodeName(NODE)
				.addNewContainer()
				.withName("sharder")
				.withImage("sharder:1")
				.endContainer()
				.endSpec()
				.build())
			.create();
		this.client
			.resource(new PodBuilder(pod).withStatus(new PodStatusBuilder().withPhase("Running").build()).build())
			.updateStatus();
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
