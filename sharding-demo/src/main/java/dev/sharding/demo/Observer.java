package dev.sharding.demo;

import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;

/**
 * Watches the play as anybody could, with fabric8's own informers, and notes what it sees
 * on the board.
 */
final class Observer implements AutoCloseable {

	private final Board board;

	private final KubernetesClient client;

	private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

	Observer(KubernetesClient client, Board board) {
		this.board = board;
		this.client = HttpWatches.of(client);
		watch(this.client.secrets().inNamespace(Names.NAMESPACE).runnableInformer(0),
				new Seen<>(this::secret, (secret) -> board.secretGone(secret.getMetadata().getName())));
		watch(this.client.configMaps().inNamespace(Names.NAMESPACE).runnableInformer(0), new Seen<>(this::configMap,
				(configMap) -> secretsOf(configMap).forEach((owner) -> board.configMapGone(owner.getName()))));
		watch(this.client.leases()
			.inNamespace(Names.NAMESPACE)
			.withLabelSelector(ShardingLabels.leaseSelector(Names.RING))
			.runnableInformer(0),
				new Seen<Lease>(this::lease, (lease) -> board.shardGone(lease.getMetadata().getName())));
	}

	private <T extends HasMetadata> void watch(SharedIndexInformer<T> informer, Seen<T> handler) {
		informer.addEventHandler(handler);
		informer.exceptionHandler((started, failure) -> true);
		CompletionStage<Void> unused = informer.start();
		this.informers.add(informer);
	}

	private void secret(Secret secret) {
		Map<String, String> labels = labels(secret);
		this.board.secret(secret.getMetadata().getName(), secret.getMetadata().getResourceVersion(),
				labels.getOrDefault(Names.SHARD_LABEL, ""), labels.containsKey(Names.DRAIN_LABEL), System.nanoTime());
	}

	private void configMap(ConfigMap configMap) {
		secretsOf(configMap).forEach(
				(owner) -> this.board.configMap(owner.getName(), labels(configMap).getOrDefault(Names.SHARD_LABEL, ""),
						Objects.requireNonNullElse(configMap.getMetadata().getAnnotations(), Map.<String, String>of())
							.getOrDefault(Names.STAMPED_VERSION, "")));
	}

	private static Stream<OwnerReference> secretsOf(ConfigMap configMap) {
		return configMap.getMetadata()
			.getOwnerReferences()
			.stream()
			.filter((owner) -> owner.getKind().equals("Secret"));
	}

	private void lease(Lease lease) {
		String name = lease.getMetadata().getName();
		String instance = Objects.requireNonNullElse(lease.getMetadata().getAnnotations(), Map.<String, String>of())
			.getOrDefault(ShardingLabels.INSTANCE_ID, "");
		ZonedDateTime renewed = (lease.getSpec() != null) ? lease.getSpec().getRenewTime() : null;
		this.board.shard(name, new Board.Seat(labels(lease).getOrDefault(ShardingLabels.POD, name), LeaseView.of(lease),
				instance, (renewed != null) ? renewed.toInstant() : Instant.MIN));
	}

	private static Map<String, String> labels(HasMetadata object) {
		return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of());
	}

	@Override
	public void close() {
		this.informers.forEach(SharedIndexInformer::stop);
		this.client.close();
	}

	/** Handles states, not events. */
	private record Seen<T>(Consumer<T> seen, Consumer<T> gone) implements ResourceEventHandler<T> {

		@Override
		public void onAdd(T object) {
			this.seen.accept(object);
		}

		@Override
		public void onUpdate(T before, T after) {
			this.seen.accept(after);
		}

		@Override
		public void onDelete(T object, boolean unknown) {
			this.gone.accept(object);
		}

	}

}
