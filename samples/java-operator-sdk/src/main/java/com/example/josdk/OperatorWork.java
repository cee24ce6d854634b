package com.example.josdk;

import java.time.Duration;
import java.util.Set;

import dev.sharding.core.ShardingLabels;
import dev.sharding.kubernetes.RuntimeOptions;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.ShardWork;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import org.springframework.stereotype.Component;

/** Runs the operator while the shard holds its Lease, on the objects that carry the label of the shard. */
@Component
class OperatorWork implements ShardWork {

	private final Shard shard;

	private final KubernetesClient client;

	private final Set<String> namespaces;

	private Operator operator;

	OperatorWork(Shard shard, KubernetesClient client, RuntimeOptions options) {
		this.shard = shard;
		this.client = client;
		this.namespaces = options.namespaces();
		shard.add(this);
	}

	@Override
	public void begin() {
		String selector = ShardingLabels.shard(this.shard.ring()) + "=" + this.shard.name();
		// A new one for each term: an Operator does not start reliably a second time.
		this.operator = new Operator((configuration) -> configuration.withKubernetesClient(this.client)
			.withCloseClientOnStop(false)
			.withReconciliationTerminationTimeout(Duration.ofSeconds(5)));
		this.operator.register(new ChecksumReconciler(this.shard, this.namespaces, selector), (configuration) -> {
			configuration.withLabelSelector(selector);
			if (!this.namespaces.isEmpty()) {
				configuration.settingNamespaces(this.namespaces);
			}
		});
		this.operator.start();
	}

	@Override
	public void end() {
		if (this.operator != null) {
			this.operator.stop();
			this.operator = null;
		}
	}

}
