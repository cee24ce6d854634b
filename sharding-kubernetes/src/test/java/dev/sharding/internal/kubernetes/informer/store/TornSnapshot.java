package dev.sharding.internal.kubernetes.informer.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;

/**
 * A reader who comes in the middle of a relist: they must see the store as it was before
 * or as it is after.
 */
final class TornSnapshot {

	private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of(), (event) -> inTheMiddle());

	private final List<List<ConfigMap>> seen = new CopyOnWriteArrayList<>();

	private final Thread reader = new Thread(() -> this.seen.add(this.store.list()), "reader");

	private boolean reading;

	/** Plays one relist. Called by reflection on mutants, too. */
	static void play(long seed) throws Exception {
		new TornSnapshot().play();
	}

	private void play() throws InterruptedException {
		this.store.parts().get(0).replace(listed(1));
		// Once, so that later nobody waits for a class.
		this.store.list();
		this.reading = true;
		this.store.parts().get(0).replace(listed(2));
		this.reader.join();
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

	/* As it should be, the reader waits for the end of the relist. */
	private void inTheMiddle() {
		if (!this.reading) {
			return;
		}
		this.reading = false;
		this.reader.start();
		while (this.reader.isAlive() && !isParked()) {
			Thread.yield();
		}
	}

	private boolean isParked() {
		StackTraceElement[] stack = this.reader.getStackTrace();
		return stack.length > 0 && stack[0].getMethodName().equals("park")
				&& Stream.of(stack).anyMatch((frame) -> frame.getClassName().equals(Store.class.getName()));
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
