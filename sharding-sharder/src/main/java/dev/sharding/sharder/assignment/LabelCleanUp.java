package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.assignment.LabelPatch;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.sharder.ring.NamespaceFilter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the labels of a ring off objects that are not the ring's any more, so that no
 * shard goes on with them: they leave its watch. Looks until nothing is left, or gives up
 * after some passes. Safe for use by any thread.
 */
public final class LabelCleanUp {

	private static final Logger log = LoggerFactory.getLogger(LabelCleanUp.class);

	private static final int PASSES = 10;

	private static final int BATCH = 50;

	private static final Duration BETWEEN_PASSES = Duration.ofSeconds(2);

	private final RingConnection connection;

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
		this(connection, ring, wanted, List.of(new MetadataLists(connection.requests(), connection.serialization(),
				new RingScope(ring, Map.of(), NamespaceFilter.excluding(List.of())), connection.throttle())));
	}

	private LabelCleanUp(RingConnection connection, String ring, BooleanSupplier wanted, List<MetadataLists> lists) {
		this.connection = connection;
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
		return new LabelCleanUp(this.connection, this.ring, this.wanted,
				this.lists.stream().flatMap((all) -> namespaces.stream().map(all::in)).toList());
	}

	/**
	 * Starts to take the labels off.
	 * @param resources the resources to look through
	 * @param obsolete namespace, empty for cluster-scoped objects, to whether objects
	 * there are not the ring's any more
	 * @return whether nothing is left; never fails
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
		Queue<ShardedObject> found = new ConcurrentLinkedQueue<>();
		AtomicInteger failures = new AtomicInteger();
		CompletableFuture<Void> listed = CompletableFuture.completedFuture(null);
		for (ShardedResource resource : resources) {
			for (MetadataLists each : this.lists) {
				listed = listed.thenCompose((before) -> each
					.list(resource, ShardingLabels.shard(this.ring), () -> !this.wanted.getAsBoolean(),
							(page) -> page.stream()
								.filter((object) -> obsolete.test(object.key().namespace()))
								.forEach(found::add))
					.exceptionally((failure) -> failed(ApiException.of(failure), failures)));
			}
		}
		listed.thenCompose((done) -> patchAll(found, obsolete, failures)).whenComplete((done, failure) -> {
			if (!this.wanted.getAsBoolean() || (failure == null && found.isEmpty() && failures.get() == 0)) {
				clean.complete(this.wanted.getAsBoolean());
				return;
			}
			if (!found.isEmpty()) {
				log.info("Took labels off objects that are not the ring's any more ring={} objects={} failures={}",
						this.ring, found.size(), failures.get());
			}
			if (number < PASSES) {
				// Once more: the webhook may not have known yet, and put them on again.
				CompletableFuture.delayedExecutor(BETWEEN_PASSES.toMillis(), TimeUnit.MILLISECONDS)
					.execute(() -> pass(resources, obsolete, number + 1, clean));
			}
			else {
				log.warn("Labels of objects that are not the ring's any more are left ring={}", this.ring);
				clean.complete(false);
			}
		});
	}

	private CompletableFuture<Void> patchAll(Queue<ShardedObject> found, Predicate<String> obsolete,
			AtomicInteger failures) {
		CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
		List<ShardedObject> all = new ArrayList<>(found);
		for (int from = 0; from < all.size(); from += BATCH) {
			List<ShardedObject> batch = all.subList(from, Math.min(all.size(), from + BATCH));
			done = done.thenCompose((before) -> patchBatch(batch, obsolete, failures));
		}
		return done;
	}

	/* A namespace may be the ring's again since it was listed. */
	private CompletableFuture<Void> patchBatch(List<ShardedObject> batch, Predicate<String> obsolete,
			AtomicInteger failures) {
		return CompletableFuture.allOf(batch.stream()
			.filter((object) -> obsolete.test(object.key().namespace()))
			.map((object) -> patch(object, failures))
			.toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Void> patch(ShardedObject object, AtomicInteger failures) {
		if (!this.wanted.getAsBoolean()) {
			return CompletableFuture.completedFuture(null);
		}
		LabelPatch patch = LabelPatch.acknowledgeDrain(this.ring, object.resourceVersion())
			.unmarking(this.ring, object.labels());
		return this.connection.requests()
			.send(ApiRequest.of("PATCH", object.resource().type().path(object.key()), LabelPatch.CONTENT_TYPE,
					patch.toJson()))
			.<Void>thenApply((response) -> null)
			.exceptionally((failure) -> failed(ApiException.of(failure), failures));
	}

	private static @Nullable Void failed(ApiException failure, AtomicInteger failures) {
		if (failure.status() != 404) {
			failures.incrementAndGet();
			log.debug("{}", failure.getMessage());
		}
		return null;
	}

}
