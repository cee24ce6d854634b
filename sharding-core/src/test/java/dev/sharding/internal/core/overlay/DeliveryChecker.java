package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import dev.sharding.internal.core.overlay.ModelObject.Field;
import org.jspecify.annotations.Nullable;

/**
 * Contract C4: each event of the informer reaches everybody, save an own write its own
 * writer. And the reverse: a proven own write does not reach its writer.
 */
final class DeliveryChecker {

	static final String OBSERVER = "observer";

	private final ModelServer server;

	private final List<String> subscribers;

	private final List<Fed> fed = new ArrayList<>();

	private final Map<ObservedEvent<ModelObject>, Fed> byEvent = new IdentityHashMap<>();

	/** Per key how far the fed events reach. */
	private final Map<String, Long> reached = new HashMap<>();

	private final Map<String, Long> lastDelivered = new HashMap<>();

	private final List<OwnPatch> patches = new ArrayList<>();

	private boolean relisting;

	DeliveryChecker(ModelServer server, List<String> writers) {
		this.server = server;
		this.subscribers = new ArrayList<>(writers);
		this.subscribers.add(OBSERVER);
	}

	void relistStarted() {
		this.relisting = true;
	}

	void relistFinished(long version) {
		this.relisting = false;
		this.reached.replaceAll((key, before) -> Math.max(before, version));
	}

	/**
	 * A write was answered with {@code version}.
	 * @param made whether the write made that version, rather than changing nothing
	 * @param base the version it insisted on
	 * @param field what was patched without a lock
	 */
	void answered(String writer, String key, long version, boolean made, @Nullable String base, @Nullable Field field,
			int value) {
		this.patches.add(new OwnPatch(writer, key, version, made, base, field, value));
	}

	/** Whatever is held for this key may be released without proof. */
	void mayRelease(@Nullable String key) {
		for (Fed each : this.fed) {
			if (key == null || key.equals(each.event.object().key())) {
				each.mayRelease = true;
			}
		}
	}

	void event(ObservedEvent<ModelObject> event) {
		String key = event.object().key();
		boolean unknown = event instanceof ObservedEvent.Removed<ModelObject> removed && removed.finalStateUnknown();
		long before = this.reached.getOrDefault(key, 0L);
		// A watch shows each change, a relist the sum of all since the last one.
		long from = this.relisting ? before : event.object().number() - 1;
		long to = unknown ? this.server.version() : event.object().number();
		Fed next = new Fed(event, this.relisting, changes(key, from, to));
		this.reached.put(key, Math.max(before, event.object().number()));
		if (event instanceof ObservedEvent.Removed<ModelObject>) {
			mayRelease(key);
		}
		this.fed.add(next);
		this.byEvent.put(event, next);
	}

	void emitted(List<Emission<ModelObject>> emissions) {
		for (Emission<ModelObject> emission : emissions) {
			Fed event = this.byEvent.get(emission.event());
			check(event != null, () -> "an event that never was: " + emission.event());
			for (String subscriber : this.subscribers) {
				if (emission.reaches(subscriber)) {
					check(event.reached.add(subscriber), () -> "twice to " + subscriber + ": " + event);
					order(subscriber, event);
				}
			}
		}
	}

	void everythingReachesTheObserver() {
		Fed last = this.fed.get(this.fed.size() - 1);
		check(last.reached.contains(OBSERVER), () -> "held for one that never wrote: " + last);
	}

	void atTheEnd() {
		for (Fed each : this.fed) {
			for (String subscriber : this.subscribers) {
				boolean reached = each.reached.contains(subscriber);
				check(reached || mayBeFiltered(each, subscriber), () -> "swallowed for " + subscriber + ": " + each);
				check(!reached || each.mayRelease || !mustBeFiltered(each, subscriber),
						() -> "own write came back to " + subscriber + ": " + each);
			}
		}
	}

	private void order(String subscriber, Fed event) {
		if (!event.relist) {
			String line = subscriber + ' ' + event.event.object().key();
			long version = event.event.object().number();
			check(this.lastDelivered.getOrDefault(line, 0L) < version,
					() -> "out of order to " + subscriber + ": " + event);
			this.lastDelivered.put(line, version);
		}
	}

	private boolean mayBeFiltered(Fed fed, String writer) {
		if (fed.event instanceof ObservedEvent.Removed<ModelObject>) {
			return false;
		}
		boolean allOwn = fed.covered.stream().allMatch((change) -> change.author().equals(writer));
		return allOwn || (!fed.relist && explained(fed, writer));
	}

	private boolean mustBeFiltered(Fed fed, String writer) {
		if (fed.event instanceof ObservedEvent.Removed<ModelObject> || fed.covered.size() != 1) {
			return false;
		}
		ModelServer.Change change = fed.covered.get(0);
		boolean entered = change.before() != null && change.scopedBefore() == null;
		return !entered && change.author().equals(writer)
				&& this.patches.stream()
					.anyMatch((patch) -> patch.made && (!fed.relist || patch.base != null)
							&& patch.isAnsweredWith(writer, change.key(), change.version()));
	}

	private boolean explained(Fed fed, String writer) {
		ModelObject before = fed.event.before();
		ModelObject after = fed.event.object();
		return before != null && before.uid().equals(after.uid())
				&& this.patches.stream()
					.anyMatch((patch) -> patch.isAnsweredWith(writer, after.key(), after.number())
							&& patch.explains(before, after));
	}

	private List<ModelServer.Change> changes(String key, long from, long to) {
		return this.server.log()
			.stream()
			.filter((change) -> change.key().equals(key) && change.version() > from && change.version() <= to)
			.toList();
	}

	private static void check(boolean condition, Supplier<String> message) {
		if (!condition) {
			throw new AssertionError(message.get());
		}
	}

	private record OwnPatch(String writer, String key, long version, boolean made, @Nullable String base,
			@Nullable Field field, int value) {

		boolean isAnsweredWith(String writer, String key, long version) {
			return this.writer.equals(writer) && this.key.equals(key) && this.version == version;
		}

		boolean explains(ModelObject before, ModelObject after) {
			return this.field != null && after.equals(before.with(this.field, this.value).at(this.version));
		}

	}

	private static final class Fed {

		private final ObservedEvent<ModelObject> event;

		private final boolean relist;

		private final List<ModelServer.Change> covered;

		private final Set<String> reached = new HashSet<>();

		private boolean mayRelease;

		private Fed(ObservedEvent<ModelObject> event, boolean relist, List<ModelServer.Change> covered) {
			this.event = event;
			this.relist = relist;
			this.covered = covered;
		}

		@Override
		public String toString() {
			return this.event + (this.relist ? " of a relist" : "") + ", covering " + this.covered;
		}

	}

}
