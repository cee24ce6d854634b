package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.ConsistentReadException;

/**
 * The total order of all changes, as an unfiltered watch tells it, and what readers saw
 * when. Judges whether each read shows one state of the scope that was the latest at some
 * moment between its beginning and its end.
 */
final class ScopeHistory implements AutoCloseable {

	static final long LATEST = -1;

	static final String COLOR = "color";

	private final KubernetesClient client;

	private final String namespace;

	private final Map<String, String> scope;

	private final Queue<Change> changes = new ConcurrentLinkedQueue<>();

	private final Queue<Write> writes = new ConcurrentLinkedQueue<>();

	private final Queue<Deletion> deletions = new ConcurrentLinkedQueue<>();

	private final Queue<Read> reads = new ConcurrentLinkedQueue<>();

	private final Watch watch;

	private volatile @Nullable Throwable broken;

	ScopeHistory(KubernetesClient client, String namespace, Map<String, String> scope) {
		this.client = client;
		this.namespace = namespace;
		this.scope = scope;
		String from = client.configMaps().inNamespace(namespace).list().getMetadata().getResourceVersion();
		this.watch = client.configMaps().inNamespace(namespace).withResourceVersion(from).watch(new Recorder());
	}

	int changes() {
		return this.changes.size();
	}

	/** Remembers when a write that makes a new version began and had returned. */
	@Nullable ConfigMap wrote(Supplier<@Nullable ConfigMap> write) {
		return wrote(System.nanoTime(), write);
	}

	/** The same of a write that may change nothing, and return an old version. */
	void touched(Supplier<@Nullable ConfigMap> write) {
		wrote(Long.MIN_VALUE, write);
	}

	private @Nullable ConfigMap wrote(long start, Supplier<@Nullable ConfigMap> write) {
		ConfigMap written = write.get();
		if (written != null) {
			this.writes.add(new Write(version(written), start, System.nanoTime()));
		}
		return written;
	}

	/** Remembers when a delete had returned, by the uid of what is gone. */
	void deleted(Supplier<@Nullable String> delete) {
		String uid = delete.get();
		if (uid != null) {
			this.deletions.add(new Deletion(uid, System.nanoTime()));
		}
	}

	/** Notes a read of everything; see {@link #read(String, Part, long, Supplier)}. */
	boolean read(String kind, Supplier<List<ConfigMap>> read) {
		return read(kind, Part.ALL, LATEST, read);
	}

	/**
	 * Notes a read; one that fails is none. Returns whether it did not.
	 * @param part what it asked for
	 * @param floor the version that it must have reached, or {@link #LATEST}
	 */
	boolean read(String kind, Part part, long floor, Supplier<List<ConfigMap>> read) {
		long start = System.nanoTime();
		List<ConfigMap> seen;
		try {
			seen = read.get();
		}
		catch (ConsistentReadException ex) {
			return false;
		}
		long end = System.nanoTime();
		Map<String, Long> state = new TreeMap<>();
		seen.forEach((object) -> state.put(object.getMetadata().getName(), version(object)));
		this.reads.add(new Read(kind, part, floor, start, end, state));
		return true;
	}

	/** Waits until the watch has told everything. */
	void complete() {
		ConfigMap last = this.client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName("end")
				.endMetadata()
				.build())
			.create();
		Awaitility.await()
			.atMost(Duration.ofSeconds(90))
			.until(() -> this.broken != null
					|| this.changes.stream().anyMatch((change) -> change.version == version(last)));
		if (this.broken != null) {
			throw new IllegalStateException("The watch that tells the order has ended", this.broken);
		}
	}

	/** What was wrong with the reads of a kind. */
	Verdict judge(String kind) {
		List<Map<String, Change>> states = new ArrayList<>();
		List<Long> versions = new ArrayList<>();
		Map<String, Integer> gone = new HashMap<>();
		Map<String, Change> state = new TreeMap<>();
		states.add(Map.of());
		versions.add(0L);
		for (Change change : this.changes) {
			if (change.inScope) {
				state.put(change.name, change);
			}
			else {
				state.remove(change.name);
			}
			if (change.deleted) {
				gone.put(change.uid, states.size());
			}
			states.add(new TreeMap<>(state));
			versions.add(change.version);
		}
		List<Read> ordered = this.reads.stream()
			.filter((read) -> read.kind.equals(kind))
			.sorted(Comparator.comparingLong(Read::start))
			.toList();
		List<String> violations = new ArrayList<>();
		List<Placed> placed = new ArrayList<>();
		for (Read read : ordered) {
			boolean latest = read.floor == LATEST;
			int earliest = latest ? Math.max(earliest(read, versions, placed), afterDeletions(read, gone))
					: from(read.floor, versions);
			int end = before(read, versions);
			int match = -1;
			for (int i = earliest; i < end && match < 0; i++) {
				match = read.part.of(states.get(i)).equals(read.state) ? i : -1;
			}
			if (match < 0) {
				violations.add("%d: %s is no state of %s from version %d on, before state %d of %d"
					.formatted(read.start, read.state, read.part, versions.get(earliest), end, states.size()));
			}
			else if (latest) {
				placed.add(new Placed(read.end, match));
			}
		}
		return new Verdict(ordered.size(), violations);
	}

	private static int from(long version, List<Long> versions) {
		int index = 0;
		while (index < versions.size() - 1 && versions.get(index) < version) {
			index++;
		}
		return index;
	}

	/* Nothing that was begun to be written when the read had ended. */
	private int before(Read read, List<Long> versions) {
		return this.writes.stream()
			.filter((write) -> write.start > read.end)
			.mapToLong(Write::version)
			.min()
			.stream()
			.mapToInt((version) -> from(version, versions))
			.findFirst()
			.orElse(versions.size());
	}

	/* Not before what was written, nor before what was read, when the read began. */
	private int earliest(Read read, List<Long> versions, List<Placed> placed) {
		long written = this.writes.stream()
			.filter((write) -> write.returned < read.start)
			.mapToLong(Write::version)
			.max()
			.orElse(0);
		int earliest = from(written, versions);
		for (Placed before : placed) {
			if (before.end < read.start) {
				earliest = Math.max(earliest, before.index);
			}
		}
		return earliest;
	}

	/* An answer to a delete has no version; the watch tells it. */
	private int afterDeletions(Read read, Map<String, Integer> gone) {
		return this.deletions.stream()
			.filter((deletion) -> deletion.returned < read.start)
			.mapToInt((deletion) -> gone.getOrDefault(deletion.uid, 0))
			.max()
			.orElse(0);
	}

	private static long version(ConfigMap object) {
		return Long.parseLong(object.getMetadata().getResourceVersion());
	}

	@Override
	public void close() {
		this.watch.close();
	}

	/** What was read, and how often. */
	record Verdict(int reads, List<String> violations) {
	}

	/** What of the scope is asked for: everything, a name, a color. */
	record Part(@Nullable String name, @Nullable String color) {

		static final Part ALL = new Part(null, null);

		private Map<String, Long> of(Map<String, Change> state) {
			Map<String, Long> part = new TreeMap<>();
			state.forEach((each, change) -> {
				if ((this.name == null || this.name.equals(each))
						&& (this.color == null || this.color.equals(change.color))) {
					part.put(each, change.version);
				}
			});
			return part;
		}

	}

	private record Change(String name, String uid, long version, boolean inScope, boolean deleted,
			@Nullable String color) {
	}

	private record Deletion(String uid, long returned) {
	}

	private record Write(long version, long start, long returned) {
	}

	private record Read(String kind, Part part, long floor, long start, long end, Map<String, Long> state) {
	}

	private record Placed(long end, int index) {
	}

	private final class Recorder implements Watcher<ConfigMap> {

		@Override
		public void eventReceived(Action action, ConfigMap object) {
			Map<String, String> labels = object.getMetadata().getLabels();
			boolean inScope = action != Action.DELETED && labels != null
					&& labels.entrySet().containsAll(ScopeHistory.this.scope.entrySet());
			ScopeHistory.this.changes.add(new Change(object.getMetadata().getName(), object.getMetadata().getUid(),
					version(object), inScope, action == Action.DELETED, (labels != null) ? labels.get(COLOR) : null));
		}

		@Override
		public void onClose(WatcherException cause) {
			ScopeHistory.this.broken = cause;
		}

	}

}
