package dev.sharding.internal.sharder.cli;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.lease.ShardState;
import dev.sharding.internal.sharder.diagnosis.Finding;
import dev.sharding.internal.sharder.diagnosis.LeaseLaw.Shard;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerList;
import org.jspecify.annotations.Nullable;

/**
 * The pods of the controllers whose shards are slots: those that hold none stand by, and
 * there should not be more of them than slots for good.
 */
final class SlotPods {

	private static final String TEMPLATE = "pod-template-hash";

	private final Cluster cluster;

	SlotPods(Cluster cluster) {
		this.cluster = cluster;
	}

	/**
	 * Finds the pods that hold no slot although others of their Deployment do.
	 * @return their names, sorted; namespace/name
	 * @throws ApiException if pods may not be read
	 */
	SortedSet<String> standingBy(List<Shard> shards, Instant now) {
		SortedSet<String> standing = new TreeSet<>();
		byNamespace(shards, now).forEach((namespace, holders) -> {
			Map<String, Pod> pods = pods(namespace);
			SortedSet<String> workloads = workloads(pods, holders);
			pods.forEach((name, pod) -> {
				String workload = workload(pod);
				if (workload != null && workloads.contains(workload) && !holders.contains(name) && isRunning(pod)) {
					standing.add(namespace + "/" + name);
				}
			});
		});
		return standing;
	}

	/** Looks whether there can be more replicas than slots. */
	List<Finding> findings(List<Shard> shards, Instant now) {
		List<Finding> findings = new ArrayList<>();
		try {
			byNamespace(shards, now).forEach((namespace, holders) -> {
				int slots = slots(shards, namespace);
				for (String workload : workloads(pods(namespace), holders)) {
					findings.addAll(tooMany(namespace, workload, slots));
				}
			});
			SortedSet<String> standing = standingBy(shards, now);
			if (!standing.isEmpty()) {
				findings.add(Finding.note("slots", "pods",
						"these stand by, ready to take a slot: " + String.join(", ", standing)));
			}
		}
		catch (ApiException ex) {
			findings.add(Finding.note("slots", "pods",
					"could not be read, so replicas and slots were not compared: " + ex.getMessage()));
		}
		return findings;
	}

	private List<Finding> tooMany(String namespace, String workload, int slots) {
		List<Finding> findings = new ArrayList<>();
		String subject = "Deployment " + namespace + "/" + workload;
		Deployment deployment = this.cluster.get("/apis/apps/v1/namespaces/" + namespace + "/deployments/" + workload,
				Deployment.class);
		Integer replicas = (deployment != null) ? deployment.getSpec().getReplicas() : null;
		if (replicas != null && replicas > slots) {
			findings.add(Finding.warning("slots", subject,
					"has %d replicas for %d slots: the others stand by and do no work".formatted(replicas, slots),
					"Raise 'sharding.slots', or have fewer replicas"));
		}
		this.cluster
			.all("/apis/autoscaling/v2/namespaces/" + namespace + "/horizontalpodautoscalers",
					HorizontalPodAutoscalerList.class)
			.stream()
			.map(HorizontalPodAutoscaler.class::cast)
			.filter((scaler) -> "Deployment".equals(scaler.getSpec().getScaleTargetRef().getKind())
					&& workload.equals(scaler.getSpec().getScaleTargetRef().getName())
					&& scaler.getSpec().getMaxReplicas() > slots)
			.forEach((scaler) -> findings.add(Finding.warning("slots",
					"HorizontalPodAutoscaler " + namespace + "/" + scaler.getMetadata().getName(),
					"may scale %s to %d replicas, for %d slots: the others would do no work".formatted(subject,
							scaler.getSpec().getMaxReplicas(), slots),
					"Raise 'sharding.slots', or lower its maximum")));
		return findings;
	}

	/* The pods that hold slots. */
	private static SortedMap<String, SortedSet<String>> byNamespace(List<Shard> shards, Instant now) {
		SortedMap<String, SortedSet<String>> holders = new TreeMap<>();
		shards.stream()
			.filter((shard) -> shard.noted().annotations().containsKey(ShardingLabels.SLOTS)
					&& ShardState.of(shard.lease(), now).isAvailable())
			.forEach((shard) -> holders.computeIfAbsent(shard.namespace(), (first) -> new TreeSet<>())
				.add(shard.podName()));
		return holders;
	}

	private static int slots(List<Shard> shards, String namespace) {
		return shards.stream()
			.filter((shard) -> shard.namespace().equals(namespace))
			.map((shard) -> shard.noted().annotations().get(ShardingLabels.SLOTS))
			.filter((slots) -> slots != null && slots.matches("\\d{1,4}"))
			.mapToInt(Integer::parseInt)
			.max()
			.orElse(Integer.MAX_VALUE);
	}

	private Map<String, Pod> pods(String namespace) {
		Map<String, Pod> pods = new HashMap<>();
		this.cluster.all("/api/v1/namespaces/" + namespace + "/pods", PodList.class)
			.forEach((pod) -> pods.put(pod.getMetadata().getName(), pod));
		return pods;
	}

	private static SortedSet<String> workloads(Map<String, Pod> pods, SortedSet<String> holders) {
		SortedSet<String> workloads = new TreeSet<>();
		for (String holder : holders) {
			Pod pod = pods.get(holder);
			String workload = (pod != null) ? workload(pod) : null;
			if (workload != null) {
				workloads.add(workload);
			}
		}
		return workloads;
	}

	/* The Deployment that a pod is of: its ReplicaSet has that name and the hash. */
	private static @Nullable String workload(Pod pod) {
		Map<String, String> labels = pod.getMetadata().getLabels();
		String hash = (labels != null) ? labels.get(TEMPLATE) : null;
		for (OwnerReference owner : pod.getMetadata().getOwnerReferences()) {
			String suffix = "-" + hash;
			if (hash != null && "ReplicaSet".equals(owner.getKind()) && owner.getName().endsWith(suffix)) {
				return owner.getName().substring(0, owner.getName().length() - suffix.length());
			}
		}
		return null;
	}

	private static boolean isRunning(Pod pod) {
		return pod.getMetadata().getDeletionTimestamp() == null && pod.getStatus() != null
				&& "Running".equals(pod.getStatus().getPhase());
	}

}
