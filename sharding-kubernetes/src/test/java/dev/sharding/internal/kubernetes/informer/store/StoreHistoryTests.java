package dev.sharding.internal.kubernetes.informer.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.Recorder;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.ConfigMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Feeds a store from random histories of a scope, as a watch, relists and consistent
 * lists would, and compares it with the history.
 */
class StoreHistoryTests {

	@Property(tries = 2000)
	void equalsTheScopeAtItsWatermark(@ForAll("histories") List<Step> steps) {
		Run run = new Run(steps);
		for (int i = 0; i < steps.size(); i++) {
			run.take(steps.get(i));
			run.check();
		}
	}

	@Provide
	Arbitrary<List<Step>> histories() {
		Arbitrary<Step> step = Arbitraries.integers()
			.between(0, 99)
			.flatMap((kind) -> Arbitraries.integers().between(0, 4).map((value) -> new Step(kind, value)));
		return step.list().ofMinSize(1).ofMaxSize(80);
	}

	record Step(int kind, int value) {
	}

	/** One change of the scope; {@code uid} empty for a removal. */
	private record Change(int version, String name, String uid) {
	}

	private static final class Run {

		private final List<Change> changes = new ArrayList<>();

		private final Map<Integer, Map<String, String>> truth = new TreeMap<>(Map.of(10, Map.of()));

		private final Recorder<ConfigMap> recorder = new Recorder<>();

		private final Store<ConfigMap> store = new Store<>(Set.of(),
				Map.of("uid", (object) -> List.of(object.getMetadata().getUid())), this::observe);

		private final StorePart<ConfigMap> part = this.store.parts().get(0);

		private int present = 10;

		private int delivered;

		private int demanded;

		/** What a relist that is under way will find; the watch is closed meanwhile. */
		private @Nullable ListResult<ConfigMap> listing;

		Run(List<Step> steps) {
			this.part.replace(listedNow());
		}

		void take(Step step) {
			if (step.kind() < 45) {
				change("o" + step.value(), step.kind());
			}
			else if (step.kind() < 80 && this.listing == null) {
				deliver(step.value());
			}
			else if (step.kind() < 85 && this.listing == null && this.delivered > 0) {
				this.delivered = Math.max(0, this.delivered - step.value());
			}
			else if (step.kind() < 90) {
				relist();
			}
			else if (step.kind() < 93 && this.listing == null && this.delivered == this.changes.size()) {
				this.present++;
				this.truth.put(this.present, now());
				this.part.bookmark(Integer.toString(this.present));
			}
			else {
				demand();
			}
		}

		private void relist() {
			ListResult<ConfigMap> found = this.listing;
			if (found == null) {
				this.part.relistStarted();
				this.listing = listedNow();
				this.delivered = this.changes.size();
			}
			else {
				this.listing = null;
				this.part.replace(found);
			}
		}

		/** The world moves on; the watch has not told it yet. */
		private void change(String name, int kind) {
			this.present += 1 + kind % 3;
			Map<String, String> next = new HashMap<>(now());
			boolean remove = kind % 3 == 0 && next.containsKey(name);
			String uid = (kind % 5 == 0 || !next.containsKey(name)) ? "u" + this.present : uid(next.get(name));
			if (remove) {
				next.remove(name);
			}
			else if (!uid.equals(uid(next.getOrDefault(name, uid + "@"))) && next.containsKey(name)) {
				// Deleted and created again under the same name: two changes.
				next.remove(name);
				record(name, "", next);
				this.present++;
				next = new HashMap<>(next);
				next.put(name, uid + "@" + this.present);
			}
			else {
				next.put(name, uid + "@" + this.present);
			}
			record(name, remove ? "" : uid, next);
		}

		private void record(String name, String uid, Map<String, String> state) {
			this.changes.add(new Change(this.present, name, uid));
			this.truth.put(this.present, state);
		}

		private void deliver(int count) {
			for (int i = 0; i <= count && this.delivered < this.changes.size(); i++) {
				Change change = this.changes.get(this.delivered++);
				if (change.uid().isEmpty()) {
					String before = this.truth.get(previous(change.version())).get(change.name());
					this.part.remove(StorePartTests.object(change.name(), uid(before), change.version()));
				}
				else {
					this.part.put(StorePartTests.object(change.name(), change.uid(), change.version()));
				}
			}
		}

		private int previous(int version) {
			return ((TreeMap<Integer, Map<String, String>>) this.truth).lowerKey(version);
		}

		private void demand() {
			Map<ObjectKey, String> listed = new HashMap<>();
			now().forEach(
					(name, state) -> listed.put(new ObjectKey("n", name), state.substring(state.indexOf('@') + 1)));
			int version = this.present;
			this.part.expect(new Expectation(Integer.toString(version), listed, () -> {
				this.demanded = Math.max(this.demanded, version);
				assertThat(Integer.parseInt(this.part.watermark())).isGreaterThanOrEqualTo(version);
			}));
		}

		private Map<String, String> now() {
			return this.truth.get(((TreeMap<Integer, Map<String, String>>) this.truth).lastKey());
		}

		private ListResult<ConfigMap> listedNow() {
			ListResult<ConfigMap> listed = ListResult.empty();
			now().forEach((name, state) -> listed.add(StorePartTests.object(name, uid(state),
					Integer.parseInt(state.substring(state.indexOf('@') + 1)))));
			return listed.at(Integer.toString(this.present));
		}

		private static String uid(String state) {
			return state.substring(0, state.indexOf('@'));
		}

		/** Runs under the lock: the watermark must not yet cover what is being told. */
		private void observe(InformerEvent<ConfigMap> event) {
			this.recorder.onEvent(event);
			String version = null;
			if (event instanceof InformerEvent.Added<ConfigMap> added && !added.initial()) {
				version = added.object().getMetadata().getResourceVersion();
			}
			else if (event instanceof InformerEvent.Updated<ConfigMap> updated) {
				version = updated.after().getMetadata().getResourceVersion();
				assertThat(ResourceVersions.compare(updated.before().getMetadata().getResourceVersion(), version))
					.isEqualTo(Order.BEFORE);
			}
			if (version != null) {
				assertThat(ResourceVersions.compare(this.part.watermark(), version)).isEqualTo(Order.BEFORE);
			}
		}

		void check() {
			int watermark = Integer.parseInt(this.store.watermark());
			Map<String, String> expected = ((TreeMap<Integer, Map<String, String>>) this.truth).floorEntry(watermark)
				.getValue();
			Map<String, String> actual = new HashMap<>();
			this.store.list()
				.forEach((object) -> actual.put(object.getMetadata().getName(),
						object.getMetadata().getUid() + "@" + object.getMetadata().getResourceVersion()));
			assertThat(actual).isEqualTo(expected);
			assertThat(this.recorder.state().values()).containsExactlyInAnyOrderElementsOf(this.store.list());
			actual.forEach((name, state) -> assertThat(this.store.byIndex("uid", uid(state))).hasSize(1));
			for (Change change : this.changes) {
				assertThat(this.store.byIndex("uid", change.uid()))
					.allMatch((object) -> actual.containsKey(object.getMetadata().getName()))
					.hasSize((int) actual.values().stream().filter((state) -> uid(state).equals(change.uid())).count());
			}
			assertThat(watermark).isGreaterThanOrEqualTo(this.demanded);
		}

	}

}
