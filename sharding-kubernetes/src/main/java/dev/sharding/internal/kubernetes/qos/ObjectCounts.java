package dev.sharding.internal.kubernetes.qos;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;

import dev.sharding.internal.core.qos.ObjectCount;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * How many objects there are in the collections that lists are about. The server is asked
 * in the background, by a list of one object's metadata; nobody waits for its answer.
 */
final class ObjectCounts {

	/** So many questions at a time: who lists a thousand namespaces asks no thousand. */
	private static final int AT_A_TIME = 4;

	private final QosOptions options;

	private final LongSupplier nanoTime;

	/* Guarded by this, as the next three; the one asked for longest ago goes first. */
	private final Map<String, ObjectCount> counts;

	private int flying;

	/*
	 * How often the one who is asked has changed: of those before, no answer need come.
	 */
	private int generation;

	private volatile @Nullable Function<String, CompletableFuture<Double>> server;

	ObjectCounts(QosOptions options, LongSupplier nanoTime) {
		this.options = options;
		this.nanoTime = nanoTime;
		this.counts = new LinkedHashMap<>(16, 0.75f, true) {

			private static final long serialVersionUID = 1L;

			@Override
			protected boolean removeEldestEntry(Map.Entry<String, ObjectCount> eldest) {
				return size() > options.remembered();
			}

		};
	}

	/** Asks from now on. */
	synchronized void askBy(Function<String, CompletableFuture<Double>> asked) {
		this.server = asked;
		this.generation++;
		this.flying = 0;
	}

	/** Whether anybody counts at all. */
	boolean isAsking() {
		return this.server != null;
	}

	/** What is known of a collection, now; NaN if nothing. */
	double of(String path) {
		long now = this.nanoTime.getAsLong();
		Function<String, CompletableFuture<Double>> asked;
		double known;
		int generation;
		synchronized (this) {
			asked = this.server;
			if (asked == null) {
				return Double.NaN;
			}
			ObjectCount count = this.counts.get(path);
			known = (count != null) ? count.at(this.options.countPeriod(), now) : Double.NaN;
			if ((count != null && !count.isDue(this.options.countPeriod(), now)) || this.flying == AT_A_TIME) {
				return known;
			}
			this.flying++;
			generation = this.generation;
			// Nobody else asks meanwhile, nor soon again if it fails.
			this.counts.put(path, asked(count, now));
		}
		ask(asked, path, generation);
		return known;
	}

	private void ask(Function<String, CompletableFuture<Double>> asked, String path, int generation) {
		CompletableFuture<Double> answer;
		try {
			answer = asked.apply(path);
		}
		catch (RuntimeException ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		answer.whenComplete((objects, failure) -> learn(path, objects, generation));
	}

	private synchronized void learn(String path, @Nullable Double objects, int generation) {
		if (generation == this.generation) {
			this.flying--;
		}
		long now = this.nanoTime.getAsLong();
		// What was known before grows old where the server does not answer.
		this.counts.compute(path,
				(same, before) -> (objects != null) ? ObjectCount.of(objects, now) : asked(before, now));
	}

	private static ObjectCount asked(@Nullable ObjectCount before, long now) {
		return (before != null) ? before.asked(now) : ObjectCount.of(Double.NaN, now);
	}

	/** Asks the API server, past every throttle. */
	static Function<String, CompletableFuture<Double>> server(ApiRequests requests,
			KubernetesSerialization serialization, Executor executor) {
		return (path) -> CompletableFuture
			.supplyAsync(() -> requests.send(ApiRequest.of("GET", path)
				.query("limit", "1")
				.accept(MediaTypes.METADATA_LIST)
				.within(ApiRequest.DEFAULT_TIMEOUT)
				.exempted()), executor)
			.thenCompose(Function.identity())
			.thenApplyAsync((answer) -> inAnswer(serialization, answer.text()), executor);
	}

	static double inAnswer(KubernetesSerialization serialization, String list) {
		GenericKubernetesResourceList answer = serialization.unmarshal(list, GenericKubernetesResourceList.class);
		String next = answer.getMetadata().getContinue();
		return ObjectCount.inAnswer(answer.getItems().size(), answer.getMetadata().getRemainingItemCount(),
				next != null && !next.isEmpty());
	}

}
