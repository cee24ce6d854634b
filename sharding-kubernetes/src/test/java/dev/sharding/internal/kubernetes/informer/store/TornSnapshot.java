package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;

/**
 * A reader who comes in the middle of a relist: they must see the store as it was before
 * or as it is after.
 */
final class TornSnapshot {

	private static final Duration PATIENCE = Duration.ofMillis(300);

	private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of(), (event) -> inTheMiddle());

	private final List<List<ConfigMap>> seen = new ArrayList<>();

	private boolean reading;

	/** Plays one relist. Called by reflection on mutants, too. */
	static void play(long seed) throws Exception {
		new TornSnapshot().play();
	}

	private void play() {
		this.store.parts().get(0).replace(listed(1));
		this.reading = true;
		this.store.parts().get(0).replace(listed(2));
		for (List<ConfigMap> snapshot : this.seen) {
			long versions = snapshot.stream()
				.map((object) -> object.getMetadata().getResourceVersion())
				.distinct()
				.count();
			if (versions != 1) {
				throw new IllegalStateException("A reader saw half of a relist: " + snapshot);
			}
		}
	}

	private void inTheMiddle() {
		if (!this.reading) {
			return;
		}
		this.reading = false;
		try {
			this.seen
				.add(CompletableFuture.supplyAsync(this.store::list).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (TimeoutException ex) {
			// As it should be: the reader waits for the end of the relist.
			return;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ListResult<ConfigMap> listed(int version) {
		ListResult<ConfigMap> listed = ListResult.empty();
		for (String name : List.of("a", "b", "c")) {
			listed.add(new ConfigMapBuilder().withNewMetadata()
				.withNamespace("ns")
				.withName(name)
				.withUid(name)
				.withResourceVersion(String.valueOf(version))
				.endMetadata()
				.build());
		}
		return listed.at(String.valueOf(version));
	}

}
