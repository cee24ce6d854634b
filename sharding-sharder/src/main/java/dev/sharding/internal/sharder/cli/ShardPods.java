package dev.sharding.internal.sharder.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import dev.sharding.client.ApiException;
import dev.sharding.internal.sharder.diagnosis.Finding;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import org.jspecify.annotations.Nullable;

/**
 * The pods of shards, whose names their Leases say.
 */
final class ShardPods {

	private final Cluster cluster;

	ShardPods(Cluster cluster) {
		this.cluster = cluster;
	}

	List<Shard> of(List<Shard> shards, List<Finding> findings) {
		List<Shard> known = new ArrayList<>();
		try {
			for (Shard shard : shards) {
				known.add(new Shard(shard.namespace(), shard.noted(), shard.cordoned(), shard.podName(), pod(shard)));
			}
			return known;
		}
		catch (ApiException ex) {
			findings.add(Finding.note("shards", "pods",
					"could not be read, so versions were not compared: " + ex.getMessage()));
			return shards;
		}
	}

	private LeaseLaw.@Nullable Pod pod(Shard shard) {
		Pod pod = this.cluster.get("/api/v1/namespaces/" + shard.namespace() + "/pods/" + shard.podName(), Pod.class);
		return (pod == null) ? null
				: new LeaseLaw.Pod(pod.getSpec()
					.getContainers()
					.stream()
					.map(Container::getImage)
					.sorted()
					.collect(Collectors.joining(",")), String.valueOf(pod.getSpec().getServiceAccountName()));
	}

}
