package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.overlay.RetriedQuestions;
import dev.sharding.internal.kubernetes.informer.wire.ObjectDecoder;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Reads objects of one resource from the API server, with a limit that the API server
 * knows, and again a few times if it could not answer. One object is read past every QoS
 * queue, as somebody waits for it who has a deadline, but for what a {@link #limited} one
 * asks; lists wait their turn.
 */
public final class ResourceReader<T extends HasMetadata> {

	private final ResourceType<T> type;

	private final RetriedQuestions questions;

	private final KubernetesSerialization serialization;

	private final ObjectDecoder<T> decoder;

	private final boolean exempt;

	public ResourceReader(ResourceType<T> type, ApiRequests requests, KubernetesSerialization serialization) {
		this(type, new RetriedQuestions(requests), serialization, new ObjectDecoder<>(serialization, type, false),
				true);
	}

	private ResourceReader(ResourceType<T> type, RetriedQuestions questions, KubernetesSerialization serialization,
			ObjectDecoder<T> decoder, boolean exempt) {
		this.type = type;
		this.questions = questions;
		this.serialization = serialization;
		this.decoder = decoder;
		this.exempt = exempt;
	}

	/** The same, whose requests the limits hold up or refuse like any other. */
	ResourceReader<T> limited() {
		return new ResourceReader<>(this.type, this.questions, this.serialization, this.decoder, false);
	}

	/** How long the API server wants to be left alone, or {@code null}. */
	@Nullable Duration retryAfter() {
		return this.questions.retryAfter();
	}

	/** The object as the API server has it right now (a quorum read). */
	CompletableFuture<T> get(ObjectKey key, Duration limit) {
		ApiRequest request = ApiRequest.of("GET", this.type.path(key)).within(limit);
		return then(this.questions.send(this.exempt ? request.exempted() : request), (answer) -> {
			T object = this.decoder.decode(answer.bytes());
			object.getMetadata().setManagedFields(null);
			return object;
		});
	}

	/** All objects of a namespace, or with an empty one of all, right now. */
	CompletableFuture<ListedObjects<T>> list(String namespace, @Nullable String labelSelector) {
		return page(listing(namespace, labelSelector), ApiRequest.DEFAULT_TIMEOUT);
	}

	/** A list to which parameters can be added before it is sent by {@link #page}. */
	ApiRequest listing(String namespace, @Nullable String labelSelector) {
		return ApiRequest.of("GET", this.type.path(namespace.isEmpty() ? null : namespace, null))
			.query("labelSelector", labelSelector);
	}

	/** The answer to one list; cancelling it ends the exchange. */
	CompletableFuture<ListedObjects<T>> page(ApiRequest request, Duration limit) {
		return then(this.questions.send(request.within(limit)),
				(answer) -> ListedObjects.of(this.type, this.serialization, answer));
	}

	/* Not on the thread of the transport: an answer can be large. */
	private static <R> CompletableFuture<R> then(CompletableFuture<ApiResponse> sent, Function<ApiResponse, R> parse) {
		CompletableFuture<R> parsed = sent.thenApplyAsync(parse, ProtocolThreads.EXECUTOR);
		parsed.whenComplete((done, failure) -> sent.cancel(true));
		return parsed;
	}

}
