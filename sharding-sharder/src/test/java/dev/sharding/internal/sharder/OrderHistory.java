package dev.sharding.internal.sharder;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that happened to the Secrets and ConfigMaps of a world, in the order of their
 * versions. A ConfigMap belongs to the Secret of its name.
 */
final class OrderHistory implements AutoCloseable {

	private final World world;

	private final List<Change> changes = new CopyOnWriteArrayList<>();

	private final List<Watch> watches = new ArrayList<>();

	OrderHistory(World world) {
		this.world = world;
		this.watches.add(world.client.secrets().inNamespace(world.namespace).watch(new Recorder<>()));
		this.watches.add(world.client.configMaps().inNamespace(world.namespace).watch(new Recorder<>()));
	}

	/** Waits until all is told, and looks for what came in the wrong order. */
	void awaitInOrder(String name) {
		World.await().untilAsserted(() -> {
			Map<String, String> told = replay(new ArrayList<>());
			assertThat(told.get("Secret/" + name)).isEqualTo(this.world.secretShard(name));
			assertThat(told.get("ConfigMap/" + name)).isEqualTo(this.world.configMapShard(name));
		});
		List<String> early = new ArrayList<>();
		replay(early);
		assertThat(early).isEmpty();
	}

	/* Where everything is at the end, and each main object that went before. */
	private Map<String, String> replay(List<String> early) {
		List<Change> ordered = new ArrayList<>(this.changes);
		ordered.sort(Comparator.comparing(Change::version, OrderHistory::compare));
		Map<String, String> shards = new HashMap<>();
		ordered.forEach((change) -> {
			String before = shards.put(change.kind + "/" + change.name, change.shard);
			String controlled = shards.get("ConfigMap/" + change.name);
			if (change.kind.equals("Secret") && before != null && !change.shard.equals(before)
					&& !change.shard.isEmpty() && !change.shard.equals(controlled)) {
				early.add("%s went from '%s' to %s when what it controls was with %s".formatted(change.name, before,
						change.shard, controlled));
			}
		});
		return shards;
	}

	private static int compare(String one, String other) {
		Order order = ResourceVersions.compare(one, other);
		return (order == Order.SAME) ? 0 : (order == Order.AFTER) ? 1 : -1;
	}

	@Override
	public void close() {
		this.watches.forEach(Watch::close);
	}

	private record Change(String kind, String name, String version, String shard) {
	}

	private final class Recorder<T extends HasMetadata> implements Watcher<T> {

		@Override
		public void eventReceived(Action action, T object) {
			OrderHistory.this.changes.add(new Change(object.getKind(), object.getMetadata().getName(),
					object.getMetadata().getResourceVersion(),
					Objects.requireNonNullElse(OrderHistory.this.world.shardOf(object), "")));
		}

		@Override
		public void onClose(WatcherException ex) {
			// What is missing then is noticed when the end is compared with the world.
		}

	}

}
