package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadataList;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

import dev.sharding.internal.core.assignment.Newness;
import dev.sharding.internal.core.assignment.Newness.Arrival;
import dev.sharding.internal.core.assignment.Newness.Past;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Asks the API server for the past of objects, to find out which of them nobody can have
 * owned before. Safe for use by many threads.
 */
public final class ObjectPasts {

	/** So many questions at a time; a list is cheaper than more of them. */
	private static final int MOST = 64;

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final ApiRequests requests;

	private final KubernetesSerialization serialization;

	private final String ring;

	private final Semaphore room = new Semaphore(MOST);

	/**
	 * Creates it for one shard.
	 * @param requests sends the questions
	 * @param serialization reads the answers
	 * @param ring the name of the ControllerRing
	 */
	public ObjectPasts(ApiRequests requests, KubernetesSerialization serialization, String ring) {
		this.requests = requests;
		this.serialization = serialization;
		this.ring = ring;
	}

	/**
	 * Finds out whether nobody can have owned an object before it came. Costs one or two
	 * requests for one object each, and none for an object that does not bear our
	 * sharder's mark.
	 * @return {@code true} if that is proven; never fails
	 */
	CompletableFuture<Boolean> isNew(ResourceType<?> type, ObjectKey key, Arrival arrival) {
		if (Newness.of(this.ring, arrival, List.of()) instanceof Newness.Unproven || !this.room.tryAcquire()) {
			return CompletableFuture.completedFuture(false);
		}
		Map<String, CompletableFuture<Past>> asked = new ConcurrentHashMap<>();
		return look(arrival, new ArrayList<>(),
				(version) -> asked.computeIfAbsent(version, (moment) -> ask(type, key, moment)))
			.exceptionally((failure) -> false)
			.whenComplete((done, failure) -> this.room.release());
	}

	private CompletableFuture<Boolean> look(Arrival arrival, List<Past> looks,
			Function<String, CompletableFuture<Past>> api) {
		Newness newness = Newness.of(this.ring, arrival, looks);
		if (!(newness instanceof Newness.Look look)) {
			return CompletableFuture.completedFuture(newness instanceof Newness.New);
		}
		CompletableFuture<Past> answer = api.apply(look.version());
		if (look.next() != null) {
			CompletableFuture<Past> unused = api.apply(look.next());
		}
		return answer.thenCompose((past) -> {
			looks.add(past);
			return look(arrival, looks, api);
		});
	}

	private CompletableFuture<Past> ask(ResourceType<?> type, ObjectKey key, String version) {
		ApiRequest request = ApiRequest.of("GET", type.path(key.namespace(), null))
			.query("fieldSelector", "metadata.name=" + key.name())
			.query("resourceVersion", version)
			.query("resourceVersionMatch", "Exact")
			.accept(MediaTypes.METADATA_LIST)
			.within(PATIENCE)
			.exempted();
		return this.requests.send(request).thenApply((answer) -> read(answer, version, key));
	}

	/* An answer about another moment proves nothing about this one. */
	private Past read(ApiResponse answer, String version, ObjectKey key) {
		PartialObjectMetadataList list = this.serialization.unmarshal(answer.stream(), PartialObjectMetadataList.class);
		if (list.getMetadata() == null || !version.equals(list.getMetadata().getResourceVersion())) {
			return new Newness.Unknown();
		}
		List<PartialObjectMetadata> items = (list.getItems() != null) ? list.getItems() : List.of();
		if (items.isEmpty()) {
			return new Newness.Absent();
		}
		ObjectMeta metadata = items.get(0).getMetadata();
		if (items.size() > 1 || !key.equals(ObjectKey.of(metadata))) {
			return new Newness.Unknown();
		}
		Map<String, String> labels = metadata.getLabels();
		return new Newness.Present(String.valueOf(metadata.getUid()), String.valueOf(metadata.getResourceVersion()),
				labels);
	}

}
