package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.cache.check.ListedView;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.informer.SingleFlight;
import dev.sharding.internal.kubernetes.informer.InformerSpec;

/**
 * Lists the scope of the informer.
 */
public final class LiveSource<T extends HasMetadata> implements ConsistentReadSource<T> {

	/** How a read ends that the API server answered. */
	static final String OUTCOME = "live";

	private final InformerSpec<T> spec;

	private final ResourceReader<T> reader;

	private final SingleFlight<Snapshot<T>> flights = new SingleFlight<>(this::list);

	public LiveSource(InformerSpec<T> spec, ResourceReader<T> reader) {
		this.spec = spec;
		this.reader = reader;
	}

	@Override
	public CompletableFuture<Snapshot<T>> read() {
		return this.flights.join();
	}

	@Override
	public ReadStrategy strategy() {
		return ReadStrategy.LIVE;
	}

	@Override
	public @Nullable Duration retryAfter() {
		return this.reader.retryAfter();
	}

	private CompletableFuture<Snapshot<T>> list() {
		Set<String> namespaces = this.spec.namespaces().isEmpty() ? Set.of("") : this.spec.namespaces();
		Map<String, CompletableFuture<ListedObjects<T>>> parts = new LinkedHashMap<>();
		for (String namespace : namespaces) {
			parts.put(namespace, this.reader.list(namespace, this.spec.labelSelector()));
		}
		List<CompletableFuture<ListedObjects<T>>> asked = List.copyOf(parts.values());
		CompletableFuture<Snapshot<T>> fresh = CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
			.thenApply((done) -> {
				List<T> objects = new ArrayList<>();
				List<ObjectMeta> undecodable = new ArrayList<>();
				asked.forEach((part) -> {
					objects.addAll(part.join().objects());
					undecodable.addAll(part.join().undecodable());
				});
				// What one namespace shows says nothing about the others.
				String oldest = asked.stream()
					.map((part) -> part.join().version())
					.reduce((left, right) -> (ResourceVersions.compare(right, left) == Order.BEFORE) ? right : left)
					.orElse("");
				Map<String, String> versions = new LinkedHashMap<>();
				parts.forEach((namespace, part) -> versions.put(namespace, part.join().version()));
				return new Snapshot<>(new ListedView<>(objects, undecodable, oldest, versions, this.spec), OUTCOME);
			});
		asked.forEach((part) -> part.whenComplete((done, failure) -> {
			if (failure != null) {
				fresh.completeExceptionally(failure);
			}
		}));
		fresh.whenComplete((done, failure) -> asked.forEach((part) -> part.cancel(true)));
		return fresh;
	}

}
