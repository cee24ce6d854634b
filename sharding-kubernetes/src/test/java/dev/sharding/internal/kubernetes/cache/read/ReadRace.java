package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.cache.read.ScopeHistory.Part;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;

/**
 * Readers of a cache against writers that create, update, relabel, delete and create
 * anew, most of them past the cache and one through it.
 */
final class ReadRace implements AutoCloseable {

	static final Map<String, String> SCOPE = Map.of(ShardingLabels.shard("ring"), "me");

	private static final List<String> COLORS = List.of("red", "green");

	private static final int READERS = 3;

	private static final int WRITERS = 3;

	private final long seed = Long.getLong("race.seed", System.nanoTime());

	private final KubernetesClient client;

	private final String namespace;

	private final ResourceCache<ConfigMap> cache;

	private final ScopeHistory history;

	private final AtomicInteger failed = new AtomicInteger();

	private final long pauseNanos;

	/**
	 * Creates a race.
	 * @param client writes, and tells the order of all writes
	 * @param pause of each writer between two writes: a watch over a slow line must be
	 * able to keep up
	 */
	ReadRace(KubernetesClient client, String namespace, ResourceCache<ConfigMap> cache, Duration pause) {
		this.pauseNanos = pause.toNanos();
		this.client = client;
		this.namespace = namespace;
		this.cache = cache;
		this.history = new ScopeHistory(client, namespace, SCOPE);
	}

	/**
	 * Runs until so many consistent reads were answered.
	 * @param accident happens meanwhile
	 */
	void run(int reads, Freshness freshness, Callable<?> accident) throws Exception {
		AtomicBoolean writing = new AtomicBoolean(true);
		AtomicInteger answered = new AtomicInteger();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			List<Future<?>> writers = new ArrayList<>();
			for (int i = 0; i < WRITERS; i++) {
				int writer = i;
				writers.add(threads.submit(() -> write(writer, writing)));
			}
			writers.add(threads.submit(() -> writeThroughTheCache(writing)));
			AtomicBoolean over = new AtomicBoolean();
			List<Future<?>> readers = new ArrayList<>();
			for (int i = 0; i < READERS; i++) {
				int reader = i;
				readers.add(threads.submit(() -> read(reader, answered, reads, over, freshness)));
			}
			accident.call();
			over.set(true);
			for (Future<?> reader : readers) {
				reader.get();
			}
			writing.set(false);
			for (Future<?> writer : writers) {
				writer.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		this.history.complete();
	}

	/** What was wrong with the reads of a kind. */
	ScopeHistory.Verdict judge(String kind, String what) {
		ScopeHistory.Verdict verdict = this.history.judge(kind);
		System.out.printf("%s: %d %s reads, %d violations, %d refused, %d changes, race.seed=%d%n", what,
				verdict.reads(), kind, verdict.violations().size(), this.failed.get(), this.history.changes(),
				this.seed);
		return verdict;
	}

	private void read(int reader, AtomicInteger answered, int reads, AtomicBoolean over, Freshness freshness) {
		Random random = new Random(this.seed + reader);
		ListOptions all = ListOptions.all().inNamespace(this.namespace);
		while (answered.get() < reads || !over.get()) {
			if (readOnce(reader, random, freshness)) {
				answered.incrementAndGet();
			}
			else {
				this.failed.incrementAndGet();
			}
			if (random.nextInt(2) == 0) {
				this.history.read("plain", () -> this.cache.list(all.freshness(Freshness.ANY)));
			}
		}
	}

	/* Lists of everything, by label, by index, one object, and an own write. */
	private boolean readOnce(int reader, Random random, Freshness freshness) {
		ListOptions all = ListOptions.all().inNamespace(this.namespace).freshness(freshness);
		String color = COLORS.get(random.nextInt(COLORS.size()));
		Part ofColor = new Part(null, color);
		return switch (random.nextInt(6)) {
			case 0, 1 -> this.history.read("consistent", () -> this.cache.list(all));
			case 2 -> this.history.read("consistent", ofColor, ScopeHistory.LATEST,
					() -> this.cache.list(all.withLabels(Map.of(ScopeHistory.COLOR, color))));
			case 3 -> this.history.read("consistent", ofColor, ScopeHistory.LATEST,
					() -> this.cache.byIndex(ScopeHistory.COLOR, color, freshness));
			case 4 -> get("consistent", ScopeHistory.LATEST,
					random.nextBoolean() ? "own" : "w%d-%d".formatted(random.nextInt(WRITERS), random.nextInt(4)),
					freshness);
			default -> readOwnWrite("r" + reader, random.nextInt(), freshness);
		};
	}

	/* Past the cache, which learns of it by the watch only. */
	private boolean readOwnWrite(String name, int value, Freshness freshness) {
		ConfigMap written = this.history.wrote(() -> update(name, value));
		if (written == null) {
			written = this.history.wrote(() -> create(name, value, true));
		}
		if (written == null) {
			return false;
		}
		String version = written.getMetadata().getResourceVersion();
		return get("own", Long.parseLong(version), name,
				Freshness.atLeast(version).within(Objects.requireNonNull(freshness.deadline())));
	}

	private boolean get(String kind, long floor, String name, Freshness freshness) {
		return this.history.read(kind, new Part(name, null), floor,
				() -> this.cache.get(new ObjectKey(this.namespace, name), freshness).stream().toList());
	}

	/**
	 * Writes, and reads the plain cache, which has not been told of it if its watch is
	 * held back.
	 */
	void readPlainAfterAWrite() {
		if (this.history.wrote(() -> create("held-back", 0, true)) == null) {
			throw new IllegalStateException("Nothing was written");
		}
		this.history.read("plain",
				() -> this.cache.list(ListOptions.all().inNamespace(this.namespace).freshness(Freshness.ANY)));
	}

	/** By which the cache must have an index. */
	static List<String> colors(ConfigMap object) {
		Map<String, String> labels = object.getMetadata().getLabels();
		return (labels != null && labels.containsKey(ScopeHistory.COLOR)) ? List.of(labels.get(ScopeHistory.COLOR))
				: List.of();
	}

	/* Creates, updates, relabels out of and into the scope, deletes and creates anew. */
	private Void write(int writer, AtomicBoolean writing) {
		Random random = new Random(this.seed + 100 + writer);
		for (int value = 0; writing.get(); value++) {
			LockSupport.parkNanos(this.pauseNanos);
			String name = "w%d-%d".formatted(writer, random.nextInt(4));
			int unique = value * WRITERS + writer;
			switch (random.nextInt(5)) {
				case 0 -> this.history.wrote(() -> create(name, unique, true));
				case 1, 2 -> this.history.wrote(() -> update(name, unique));
				case 3 -> this.history.touched(() -> relabel(name, random.nextBoolean()));
				default -> this.history.deleted(() -> delete(name));
			}
		}
		return null;
	}

	private Void writeThroughTheCache(AtomicBoolean writing) {
		for (int value = 0; writing.get(); value++) {
			LockSupport.parkNanos(this.pauseNanos);
			String unique = "own" + value;
			ConfigMap made = this.history
				.wrote(() -> attempt(() -> this.cache.create(object("own", unique, true))).orElse(null));
			this.history
				.wrote(() -> attempt(() -> this.cache.apply(object("own", unique + "-applied", true))).orElse(null));
			this.history.deleted(() -> attempt(() -> {
				this.cache.delete(object("own", unique, true));
				return (made != null) ? made.getMetadata().getUid() : null;
			}).orElse(null));
		}
		return null;
	}

	ConfigMap create(String name, int value, boolean ours) {
		return attempt(() -> this.client.resource(object(name, Integer.toString(value), ours)).create()).orElse(null);
	}

	ConfigMap object(String name, String value, boolean ours) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels(ShardingLabels.shard("ring"), ours ? "me" : "other")
			.addToLabels(ScopeHistory.COLOR, color(value))
			.endMetadata()
			.addToData("n", value)
			.build();
	}

	private static String color(String value) {
		return COLORS.get(Math.floorMod(value.hashCode(), COLORS.size()));
	}

	private @Nullable String delete(String name) {
		return attempt(() -> this.client.configMaps().inNamespace(this.namespace).withName(name).delete())
			.flatMap((details) -> details.stream().findFirst())
			.map(StatusDetails::getUid)
			.orElse(null);
	}

	private ConfigMap update(String name, int value) {
		return attempt(() -> this.client.configMaps().inNamespace(this.namespace).withName(name).edit((map) -> {
			map.getData().put("n", Integer.toString(value));
			map.getMetadata().getLabels().put(ScopeHistory.COLOR, color(Integer.toString(value)));
			return map;
		})).orElse(null);
	}

	ConfigMap relabel(String name, boolean ours) {
		return attempt(() -> this.client.configMaps().inNamespace(this.namespace).withName(name).edit((map) -> {
			map.getMetadata().getLabels().put(ShardingLabels.shard("ring"), ours ? "me" : "other");
			return map;
		})).orElse(null);
	}

	/*
	 * Conflicts, absent objects and a server that does not answer are part of the game.
	 */
	private static <R> Optional<R> attempt(Callable<R> write) {
		try {
			return Optional.ofNullable(write.call());
		}
		catch (KubernetesClientException | ApiException ex) {
			return Optional.empty();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.history.close();
	}

}
