package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.cache.overlay.RetriedQuestions;
import dev.sharding.internal.kubernetes.informer.SingleFlight;
import dev.sharding.internal.kubernetes.informer.Informer;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Writes a marker object into the scope of the informer, and waits until the watch tells
 * of it: what was written before has been told by then. One write for all who wait.
 */
public final class BarrierSource<T extends HasMetadata> implements ConsistentReadSource<T> {

	private static final String MARK = "sharding.dev/barrier";

	private final OverlaidStore<T> store;

	private final RetriedQuestions questions;

	private final KubernetesSerialization serialization;

	private final CacheScope scope;

	private final String markerNamespace;

	/** Each write must change something, whoever else writes the same marker. */
	private final String process = UUID.randomUUID().toString();

	private final AtomicLong writes = new AtomicLong();

	private final SingleFlight<Snapshot<T>> flights = new SingleFlight<>(this::write);

	/**
	 * Creates it.
	 * @param requests pass no fence: a marker harms nobody, and who may not write yet may
	 * read
	 * @param markerNamespace where the marker of a scope of all namespaces is
	 */
	public BarrierSource(OverlaidStore<T> store, ApiRequests requests, KubernetesSerialization serialization,
			CacheScope scope, String markerNamespace) {
		this.store = store;
		this.questions = new RetriedQuestions(requests);
		this.serialization = serialization;
		this.scope = scope;
		this.markerNamespace = markerNamespace;
	}

	@Override
	public CompletableFuture<Snapshot<T>> read() {
		return this.flights.join();
	}

	@Override
	public ReadStrategy strategy() {
		return ReadStrategy.BARRIER;
	}

	@Override
	public @Nullable Duration retryAfter() {
		return this.questions.retryAfter();
	}

	private CompletableFuture<Snapshot<T>> write() {
		InformerSpec<T> spec = this.store.informer().spec();
		List<CompletableFuture<Void>> passed = new ArrayList<>();
		for (String namespace : spec.namespaces().isEmpty() ? Set.of("") : spec.namespaces()) {
			passed.add(pass(spec, namespace));
		}
		CompletableFuture<Snapshot<T>> fresh = CompletableFuture.allOf(passed.toArray(CompletableFuture<?>[]::new))
			.thenApply((done) -> new Snapshot<>(this.store.plain(), "barrier"));
		passed.forEach((part) -> part.whenComplete((done, failure) -> {
			if (failure != null) {
				fresh.completeExceptionally(failure);
			}
		}));
		fresh.whenComplete((done, failure) -> passed.forEach((part) -> part.cancel(false)));
		return fresh;
	}

	private CompletableFuture<Void> pass(InformerSpec<T> spec, String part) {
		CompletableFuture<Void> passed = new CompletableFuture<>();
		ResourceType<T> type = spec.type();
		String namespace = !type.namespaced() ? "" : part.isEmpty() ? this.markerNamespace : part;
		ObjectKey marker = new ObjectKey(namespace,
				this.scope.shard().isEmpty() ? "sharding-barrier" : "sharding-barrier-" + this.scope.shard());
		// Before the write, whose version is not older unless etcd is restored.
		String before = this.store.watermark(part);
		CompletableFuture<ApiResponse> sent = this.questions.send(patch(spec, marker));
		passed.whenComplete((done, failure) -> sent.cancel(true));
		// No event loop may wait for the lock of the store.
		sent.whenCompleteAsync((answer, failure) -> {
			if (failure == null) {
				await(part, before, marker, answer, passed);
			}
			else if (ApiException.of(failure).isNotFound()) {
				CompletableFuture<ApiResponse> made = this.questions.send(apply(spec, marker));
				passed.whenComplete((done, late) -> made.cancel(true));
				made.thenAcceptAsync((first) -> await(part, before, marker, first, passed), ProtocolThreads.EXECUTOR)
					.exceptionally((refused) -> {
						passed.completeExceptionally(refused);
						return null;
					});
			}
			else {
				passed.completeExceptionally(failure);
			}
		}, ProtocolThreads.EXECUTOR);
		return passed;
	}

	private void await(String part, @Nullable String before, ObjectKey marker, ApiResponse answer,
			CompletableFuture<Void> passed) {
		Informer<T> informer = this.store.informer();
		String written;
		try {
			written = Objects.requireNonNull(this.serialization.unmarshal(answer.stream(), PartialObjectMetadata.class)
				.getMetadata()
				.getResourceVersion(), "no resource version");
		}
		catch (RuntimeException ex) {
			passed.completeExceptionally(
					new ApiException(0, "", null, "Failed to read what became of the marker %s %s: %s"
						.formatted(informer.spec().type(), marker, ex.getMessage()), ex));
			return;
		}
		CompletableFuture<?> reached = (ResourceVersions.compare(written, before) == Order.BEFORE) ? informer.catchUp()
				: informer.told(written, part);
		passed.whenComplete((done, failure) -> reached.cancel(false));
		reached.whenComplete((done, failure) -> {
			if (failure == null) {
				passed.complete(null);
			}
			else {
				passed.completeExceptionally(failure);
			}
		});
	}

	private ApiRequest patch(InformerSpec<T> spec, ObjectKey marker) {
		return bounded(ApiRequest.of("PATCH", spec.type().path(marker), MediaTypes.MERGE_PATCH,
				this.serialization.asJson(Map.of("metadata", change(spec)))));
	}

	private ApiRequest apply(InformerSpec<T> spec, ObjectKey marker) {
		Map<String, Object> metadata = new LinkedHashMap<>(change(spec));
		metadata.put("name", marker.name());
		Map<String, Object> body = Map.of("apiVersion", spec.type().apiVersion(), "kind", spec.type().kind(),
				"metadata", metadata);
		return bounded(ApiRequest
			.of("PATCH", spec.type().path(marker), MediaTypes.APPLY_PATCH, this.serialization.asJson(body))
			.query("force", "true"));
	}

	private ApiRequest bounded(ApiRequest request) {
		return request.query("fieldManager", this.scope.fieldManager())
			.query("timeout", ApiRequest.DEFAULT_TIMEOUT.toSeconds() + "s")
			.accept(MediaTypes.METADATA)
			.exempted();
	}

	private Map<String, Object> change(InformerSpec<T> spec) {
		Map<String, Object> change = new LinkedHashMap<>();
		change.put("annotations", Map.of(MARK, this.process + "-" + this.writes.incrementAndGet()));
		// By which people find the markers that are left over.
		Map<String, String> labels = new LinkedHashMap<>(Map.of(MARK, "marker"));
		if (spec.labelSelector() != null) {
			labels.put(ShardingLabels.shard(this.scope.ring()), this.scope.shard());
		}
		change.put("labels", labels);
		return change;
	}

}
