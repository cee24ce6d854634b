package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.LabelPatch;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.assignment.metadata.MetadataLists;
import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.RingScope;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.PatchQueue.Priority;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.protocol.ShardingLabels;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the labels of a ring off objects that are not the ring's any more, so that no
 * shard goes on with them: they leave its watch. Works page by page: the next one is
 * asked for when all of the one before is done, and what is done is not listed any more,
 * by a sharder that begins anew neither. Patches go through a queue of their own, and
 * pause while the API server wants to be left alone. Looks until nothing is left, less
 * often where that takes long. Safe for use by any thread.
 */
public final class LabelCleanUp {

	private static final Logger log = LoggerFactory.getLogger(LabelCleanUp.class);

	/*
	 * So many passes in short order outlast a webhook that does not know yet, and an
	 * outage.
	 */
	private static final int QUICK_PASSES = 10;

	private static final int CONCURRENT_PATCHES = 50;

	/*
	 * Of one object. The next pass tries it again; other resources wait for the end of
	 * this one.
	 */
	private static final int MOST_ATTEMPTS = 10;

	private static final int TOLD_EVERY = 10_000;

	private static final Duration BETWEEN_QUICK_PASSES = Duration.ofSeconds(2);

	/* Each further pause is twice as long, up to a bound: a pass lists all. */
	private static final Duration FIRST_LONG_PAUSE = Duration.ofMinutes(1);

	private static final int MOST_DOUBLINGS = 5;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	/* While the API server is overloaded, and where it names no other one. */
	private static final Duration USUAL_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

	private final RingConnection connection;

	private final PatchQueue queue;

	private final String ring;

	private final BooleanSupplier wanted;

	private final List<MetadataLists> lists;

	/**
	 * Prepares a clean-up.
	 * @param connection the API server
	 * @param ring the name of the ring
	 * @param wanted asked before each step; {@code false} ends the work
	 */
	public LabelCleanUp(RingConnection connection, String ring, BooleanSupplier wanted) {
		this(connection,
				new PatchQueue(new InFlightLimit(CONCURRENT_PATCHES, connection.throttle()::atMost),
						connection.nanoTime(), LabelCleanUp::later),
				ring, wanted,
				List.of(new MetadataLists(connection.requests(),
						new RingScope(ring, Map.of(), NamespaceFilter.excluding(List.of()), Set.of()),
						connection.throttle())));
	}

	private LabelCleanUp(RingConnection connection, PatchQueue queue, String ring, BooleanSupplier wanted,
			List<MetadataLists> lists) {
		this.connection = connection;
		this.queue = queue;
		this.ring = ring;
		this.wanted = wanted;
		this.lists = lists;
	}

	/**
	 * The same, of a few namespaces.
	 * @param namespaces their names
	 * @return a clean-up that looks at namespaced resources only, and only there
	 */
	public LabelCleanUp in(Collection<String> namespaces) {
		return new LabelCleanUp(this.connection, this.queue, this.ring, this.wanted,
				this.lists.stream().flatMap((all) -> namespaces.stream().map(all::in)).toList());
	}

	/**
	 * Starts to take the labels off.
	 * @param resources the resources to look through
	 * @param obsolete namespace, empty for cluster-scoped objects, to whether objects
	 * there are not the ring's any more
	 * @return {@code true} once nothing is left, {@code false} when it is not wanted any
	 * more; never fails
	 */
	public CompletableFuture<Boolean> start(Collection<ShardedResource> resources, Predicate<String> obsolete) {
		CompletableFuture<Boolean> clean = new CompletableFuture<>();
		if (resources.isEmpty()) {
			clean.complete(true);
		}
		else {
			pass(List.copyOf(resources), obsolete, 1, clean);
		}
		return clean;
	}

	private void pass(List<ShardedResource> resources, Predicate<String> obsolete, int number,
			CompletableFuture<Boolean> clean) {
		Count count = new Count(new AtomicInteger(), new AtomicInteger(), new ConcurrentSkipListMap<>());
		CompletableFuture<Void> listed = CompletableFuture.completedFuture(null);
		for (ShardedResource resource : resources) {
			for (MetadataLists each : this.lists) {
				listed = listed.thenCompose((before) -> each
					.list(resource, ShardingLabels.shard(this.ring), () -> !this.wanted.getAsBoolean(),
							(page) -> takeOff(page.objects(), obsolete, count))
					.exceptionally((failure) -> failed(resource, ApiException.of(failure), count)));
			}
		}
		listed.whenComplete((done, failure) -> {
			int found = count.found.get();
			if (!this.wanted.getAsBoolean() || (failure == null && found == 0 && count.failures.get() == 0)) {
				clean.complete(this.wanted.getAsBoolean());
				return;
			}
			if (found > 0) {
				log.info("Took labels off objects that are not the ring's any more ring={} objects={} failures={}",
						this.ring, found, count.failures.get());
			}
			if (number == QUICK_PASSES) {
				log.warn(
						"Labels of objects that are not the ring's any more are left, looking again less and less often ring={} refused={}",
						this.ring, count.refused);
			}
			// Once more: the webhook may not have known yet, and put them on again.
			later(() -> pass(resources, obsolete, number + 1, clean), pauseAfter(number));
		});
	}

	private static Duration pauseAfter(int pass) {
		return (pass < QUICK_PASSES) ? BETWEEN_QUICK_PASSES
				: FIRST_LONG_PAUSE.multipliedBy(1L << Math.min(pass - QUICK_PASSES, MOST_DOUBLINGS));
	}

	private CompletableFuture<Void> takeOff(List<ShardedObject> page, Predicate<String> obsolete, Count count) {
		List<ShardedObject> found = page.stream().filter((object) -> obsolete.test(object.key().namespace())).toList();
		int before = count.found.getAndAdd(found.size());
		if ((before + found.size()) / TOLD_EVERY > before / TOLD_EVERY) {
			log.info("Taking labels off objects that are not the ring's any more ring={} objects={} failures={}",
					this.ring, before, count.failures.get());
		}
		return CompletableFuture.allOf(found.stream().map((object) -> {
			CompletableFuture<Void> done = new CompletableFuture<>();
			attempt(object, obsolete, count, done, 1);
			return done;
		}).toArray(CompletableFuture[]::new));
	}

	private void attempt(ShardedObject object, Predicate<String> obsolete, Count count, CompletableFuture<Void> done,
			int number) {
		this.queue.submit(Priority.NORMAL, object.resource(), () -> {
			// A namespace may be the ring's again since it was listed.
			boolean due = this.wanted.getAsBoolean() && obsolete.test(object.key().namespace());
			return due ? patch(object).handle((response, failure) -> {
				ApiException reason = (failure != null) ? ApiException.of(failure) : null;
				if (reason != null && reason.isOverload() && number < MOST_ATTEMPTS) {
					pause(reason);
					attempt(object, obsolete, count, done, number + 1);
					return null;
				}
				if (reason == null) {
					this.connection.metrics().freed(object.resource());
				}
				else {
					failed(object.resource(), reason, count);
				}
				done.complete(null);
				return null;
			}) : CompletableFuture.completedFuture(done.complete(null));
		}, () -> done.complete(null));
	}

	private CompletableFuture<ApiResponse> patch(ShardedObject object) {
		LabelPatch patch = LabelPatch.acknowledgeDrain(this.ring, object.resourceVersion())
			.unmarking(this.ring, object.labels());
		return this.connection.requests()
			.send(ApiRequest
				.of("PATCH", object.resource().type().path(object.key()), LabelPatch.CONTENT_TYPE, patch.toJson())
				.accept(MediaTypes.METADATA)
				.timeout(TIMEOUT));
	}

	private void pause(ApiException overload) {
		Duration asked = overload.retryAfter();
		Duration pause = (asked == null) ? USUAL_PAUSE : (asked.compareTo(LONGEST_PAUSE) < 0) ? asked : LONGEST_PAUSE;
		this.queue.pause();
		later(this.queue::resume, pause);
	}

	private static void later(Runnable task, Duration delay) {
		CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS).execute(task);
	}

	private static @Nullable Void failed(ShardedResource resource, ApiException failure, Count count) {
		if (failure.status() != 404) {
			count.failures.incrementAndGet();
			count.refused.put(resource.toString(), String.valueOf(failure.getMessage()));
			log.debug("{}", failure.getMessage());
		}
		return null;
	}

	/**
	 * What one pass has found, how often it failed, and why at last, by resource.
	 */
	private record Count(AtomicInteger found, AtomicInteger failures, SortedMap<String, String> refused) {
	}

}
