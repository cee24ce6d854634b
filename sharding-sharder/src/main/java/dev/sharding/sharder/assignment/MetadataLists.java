package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.MediaTypes;
import dev.sharding.sharder.memory.MemoryThrottle;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Lists objects of one ring: metadata only, most recent, in pages. The snapshot is
 * consistent over all pages unless it expires on the way; then the list begins again, and
 * the consumer sees objects twice. While memory is short, all lists take turns.
 */
final class MetadataLists {

	private static final int PAGE_SIZE = 500;

	private static final int RESTARTS = 3;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final RingScope scope;

	private final ObjectReader reader;

	private final MemoryThrottle throttle;

	/* Lists this one only, if it is not null. */
	private final @Nullable String namespace;

	MetadataLists(ApiRequests requests, KubernetesSerialization serialization, RingScope scope,
			MemoryThrottle throttle) {
		this(requests, serialization, scope, throttle, null);
	}

	private MetadataLists(ApiRequests requests, KubernetesSerialization serialization, RingScope scope,
			MemoryThrottle throttle, @Nullable String namespace) {
		this.requests = requests;
		this.serialization = serialization;
		this.scope = scope;
		this.throttle = throttle;
		this.namespace = namespace;
		this.reader = new ObjectReader(scope.ring());
	}

	/** The same lists, of one namespace; for namespaced resources. */
	MetadataLists in(String only) {
		return new MetadataLists(this.requests, this.serialization, this.scope, this.throttle, only);
	}

	/**
	 * Lists the objects of {@code resource} in the namespaces of the ring.
	 * @param labelSelector leaves objects out, or {@code null}
	 * @param stopped asked before each page; {@code true} ends the list early
	 * @param page gets the objects, on a thread of the transport, one page at a time
	 * @return completes after the last page
	 */
	CompletableFuture<Void> list(ShardedResource resource, @Nullable String labelSelector, BooleanSupplier stopped,
			Consumer<List<ShardedObject>> page) {
		ApiRequest first = ApiRequest.of("GET", resource.type().path(this.namespace, null))
			.accept(MediaTypes.METADATA_LIST)
			.timeout(TIMEOUT)
			.query("limit", String.valueOf(PAGE_SIZE))
			.query("labelSelector", labelSelector)
			.query("fieldSelector", this.scope.fieldSelector(resource));
		return from(resource, first, first, RESTARTS, stopped, page);
	}

	private CompletableFuture<Void> from(ShardedResource resource, ApiRequest first, ApiRequest next, int restarts,
			BooleanSupplier stopped, Consumer<List<ShardedObject>> consumer) {
		if (stopped.getAsBoolean()) {
			return CompletableFuture.completedFuture(null);
		}
		return this.throttle.inTurn(() -> this.requests.send(next)).handle((response, failure) -> {
			if (failure != null) {
				ApiException exception = ApiException.of(failure);
				if (exception.status() == 410 && restarts > 0) {
					return from(resource, first, first, restarts - 1, stopped, consumer);
				}
				return CompletableFuture.<Void>failedFuture(exception);
			}
			MetadataItem.Page page = parse(response);
			consumer.accept(read(resource, page));
			String token = (page.metadata() != null) ? page.metadata().next() : null;
			return (token == null || token.isEmpty()) ? CompletableFuture.<Void>completedFuture(null)
					: from(resource, first, first.query("continue", token), restarts, stopped, consumer);
		}).thenCompose((rest) -> rest);
	}

	private MetadataItem.Page parse(ApiResponse response) {
		return this.serialization.unmarshal(response.stream(), MetadataItem.Page.class);
	}

	private List<ShardedObject> read(ShardedResource resource, MetadataItem.Page page) {
		List<MetadataItem> items = (page.items() != null) ? page.items() : List.of();
		List<ShardedObject> objects = new ArrayList<>(items.size());
		for (MetadataItem item : items) {
			ShardedObject object = this.reader.read(resource, item);
			if (object != null && this.scope.namespaces().includes(object.key().namespace())) {
				objects.add(object);
			}
		}
		return objects;
	}

}
