package dev.sharding.internal.kubernetes.informer.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.InformerTimings;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

/**
 * One API server, one watch that lags, lists anew in between, and readers, in an order
 * that a seed decides. Fails if a read shows a state that was not the latest at any
 * moment between its beginning and its end.
 */
final class ReadSimulation implements Upstream {

	private static final InformerTimings TIMINGS = InformerTimings.DEFAULT.withRetry(Duration.ofHours(1),
			Duration.ofHours(1));

	private final Random random;

	private final ScopeRequests requests = new ScopeRequests(InformerSpec.of(ResourceType.of(ConfigMap.class)), "");

	/**
	 * The state of the scope after each change; the version is the place, from 1. The
	 * label of an object is {@link #label(int)} of its version.
	 */
	private final List<Map<String, Integer>> states = new ArrayList<>();

	/** What the watch has not told yet. */
	private final Deque<Runnable> untold = new ArrayDeque<>();

	/** What the API server has not answered yet. */
	private final List<Runnable> unanswered = new ArrayList<>();

	/** What waits until the handlers have had all events. */
	private final Deque<Runnable> afterHandlers = new ArrayDeque<>();

	private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of(), (event) -> {
	});

	private final StorePart<ConfigMap> part = this.store.parts().get(0);

	private final Refresher refresher = new Refresher(List.of(this), TIMINGS, this.afterHandlers::add, Runnable::run,
			() -> 0L);

	private final SelectedCatchUps<ConfigMap> selected = new SelectedCatchUps<>(this.refresher, this.store);

	private final ScopeTurns turns = new ScopeTurns();

	/** Ends the list that is under way; the watch is closed meanwhile. */
	private @Nullable Runnable listing;

	private int serial;

	private ReadSimulation(long seed) {
		this.random = new Random(seed);
		this.states.add(Map.of());
		change("first", true);
		this.untold.remove().run();
	}

	/** Plays one order of things. Called by reflection on mutants, too. */
	static void play(long seed) {
		new ReadSimulation(seed).play();
	}

	private void play() {
		for (int step = 0; step < 60; step++) {
			step(this.random.nextInt(14));
		}
		while (!this.unanswered.isEmpty() || !this.untold.isEmpty() || !this.afterHandlers.isEmpty()
				|| this.listing != null) {
			endList();
			answer();
			tell();
			handle();
		}
	}

	private void step(int what) {
		switch (what) {
			case 0, 1, 2 -> write();
			// Somebody writes another resource.
			case 3 -> this.states.add(this.states.get(now()));
			case 4 -> read();
			case 5 -> readSelected(this.random.nextInt(2));
			case 6, 7 -> tell();
			case 8, 9 -> handle();
			case 10, 11 -> beginOrEndList();
			default -> answer();
		}
	}

	private void write() {
		if (this.listing != null && this.random.nextInt(4) > 0) {
			// What only a list from just in between shows.
			change("passing", true);
			change("passing", false);
		}
		else {
			change("o" + this.random.nextInt(4), this.random.nextInt(3) > 0);
		}
	}

	private int now() {
		return this.states.size() - 1;
	}

	private void change(String name, boolean there) {
		Map<String, Integer> state = new TreeMap<>(this.states.get(now()));
		boolean was = state.containsKey(name);
		if (!there && !was) {
			return;
		}
		int version = this.states.size();
		if (there) {
			state.put(name, version);
		}
		else {
			state.remove(name);
		}
		this.states.add(state);
		ConfigMap object = new Watched(name, version);
		this.untold.add(() -> {
			if (there) {
				this.part.put(object);
			}
			else {
				this.part.remove(object);
			}
		});
	}

	private void beginOrEndList() {
		if (this.listing != null) {
			endList();
			return;
		}
		// Or else hardly any list of metadata equals what is stored.
		while (!this.untold.isEmpty()) {
			tell();
		}
		this.part.relistStarted();
		int earliest = now();
		this.listing = () -> {
			int version = earliest + this.random.nextInt(now() - earliest + 1);
			ListResult<ConfigMap> listed = ListResult.empty();
			this.states.get(version).forEach((name, written) -> listed.add(new Watched(name, written)));
			this.part.replace(listed.at(String.valueOf(version)));
		};
	}

	private void endList() {
		Runnable ending = this.listing;
		this.listing = null;
		if (ending != null) {
			ending.run();
		}
	}

	private void tell() {
		if (this.listing == null && !this.untold.isEmpty()) {
			this.untold.remove().run();
		}
	}

	private void handle() {
		if (!this.afterHandlers.isEmpty()) {
			this.afterHandlers.remove().run();
		}
	}

	private void answer() {
		if (!this.unanswered.isEmpty()) {
			this.unanswered.remove(this.random.nextInt(this.unanswered.size())).run();
		}
	}

	private void read() {
		int from = now();
		int number = ++this.serial;
		this.refresher.catchUp().thenRun(() -> {
			Map<String, Integer> seen = new TreeMap<>();
			this.store.list()
				.forEach((object) -> seen.put(object.getMetadata().getName(),
						Integer.valueOf(object.getMetadata().getResourceVersion())));
			if (!this.states.subList(from, this.states.size()).contains(seen)) {
				throw new IllegalStateException("Read %d shows %s, which was never the latest from version %d to %d"
					.formatted(number, seen, from, now()));
			}
		}).exceptionally((failure) -> {
			this.unanswered.add(() -> {
				throw new IllegalStateException(failure);
			});
			return null;
		});
	}

	/* Objects change their label as they change their version, so they come and go. */
	private static String label(int version) {
		return String.valueOf(version * 7 / 3 % 2);
	}

	private void readSelected(int wanted) {
		int from = now();
		int number = ++this.serial;
		LabelQuery query = new LabelQuery("l=" + wanted, (labels) -> String.valueOf(wanted).equals(labels.get("l")));
		this.selected.catchUp(query).thenAccept((caughtUp) -> {
			Map<String, Integer> seen = new TreeMap<>();
			Selected<ConfigMap> found = caughtUp.selected();
			((found != null) ? found.objects() : this.store.list()).forEach((object) -> {
				Integer version = Integer.valueOf(object.getMetadata().getResourceVersion());
				if (label(version).equals(String.valueOf(wanted))) {
					seen.put(object.getMetadata().getName(), version);
				}
			});
			boolean wasLatest = this.states.subList(from, this.states.size())
				.stream()
				.anyMatch((state) -> selected(state, query).equals(seen));
			if (!wasLatest) {
				throw new IllegalStateException("Read %d of %s shows %s, which was never the latest from %d to %d"
					.formatted(number, query, seen, from, now()));
			}
		}).exceptionally((failure) -> {
			this.unanswered.add(() -> {
				throw new IllegalStateException(failure);
			});
			return null;
		});
	}

	private static Map<String, Integer> selected(Map<String, Integer> state, LabelQuery query) {
		Map<String, Integer> selected = new TreeMap<>(state);
		selected.values().removeIf((version) -> !query.selects(Map.of("l", label(version))));
		return selected;
	}

	@Override
	public ScopeTurns turns() {
		return this.turns;
	}

	@Override
	public StorePart<ConfigMap> part() {
		return this.part;
	}

	@Override
	public CompletableFuture<String> presentVersion() {
		return ask(this.requests.probe()).thenApply(MetadataSnapshot::version);
	}

	@Override
	public CompletableFuture<MetadataSnapshot> versions(@Nullable String notOlderThan, @Nullable LabelQuery query) {
		return ask((notOlderThan != null) ? this.requests.metadataNotOlderThan(notOlderThan, query)
				: this.requests.metadataPage(null, query));
	}

	/* Answers at some later step, with a state that the API server may choose. */
	private CompletableFuture<MetadataSnapshot> ask(ApiRequest request) {
		CompletableFuture<MetadataSnapshot> answer = new CompletableFuture<>();
		String asked = request.query().get("resourceVersion");
		int earliest = (asked != null) ? Math.max(1, Integer.parseInt(asked)) : now();
		this.unanswered.add(() -> {
			int version = earliest + this.random.nextInt(now() - earliest + 1);
			Map<ObjectKey, String> objects = new HashMap<>();
			if (!String.valueOf(request.query().get("fieldSelector")).contains("sharding.nobody")) {
				String labels = request.query().get("labelSelector");
				LabelQuery asks = new LabelQuery("",
						(present) -> labels == null || labels.equals("l=" + present.get("l")));
				selected(this.states.get(version), asks)
					.forEach((name, written) -> objects.put(new ObjectKey("ns", name), written.toString()));
			}
			answer.complete(new MetadataSnapshot(String.valueOf(version), objects));
		});
		return answer;
	}

	@Override
	public void wake() {
	}

	@Override
	public void reopen() {
		throw new IllegalStateException("Nothing stalls here");
	}

	@Override
	public void relist() {
		throw new IllegalStateException("Versions can be compared here");
	}

	/**
	 * Looks at the store whenever it is looked at: whoever finds the watermark must find
	 * the object, too.
	 */
	private final class Watched extends ConfigMap {

		private final ConfigMap plain;

		private Watched(String name, int version) {
			this.plain = new ConfigMapBuilder().withNewMetadata()
				.withNamespace("ns")
				.withName(name)
				.withUid("uid-" + name)
				.withResourceVersion(String.valueOf(version))
				.addToLabels("l", label(version))
				.endMetadata()
				.build();
		}

		@Override
		public ObjectMeta getMetadata() {
			ObjectMeta metadata = this.plain.getMetadata();
			String watermark = ReadSimulation.this.part.watermark();
			ConfigMap stored = ReadSimulation.this.store.get(new ObjectKey("ns", metadata.getName()));
			if (watermark != null && watermark.equals(metadata.getResourceVersion()) && stored instanceof Watched other
					&& Comparator.<Integer>naturalOrder()
						.compare(Integer.valueOf(other.plain.getMetadata().getResourceVersion()),
								Integer.valueOf(watermark)) < 0) {
				throw new IllegalStateException("The watermark is ahead of what it stands for");
			}
			return metadata;
		}

	}

}
