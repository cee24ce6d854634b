package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.overlay.ScopeQuestions;
import dev.sharding.internal.kubernetes.informer.wire.MetadataPage;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Asks the API server by lists without a version: those are most recent. Each says how
 * long it may take. What costs little whatever the scope holds passes every QoS queue, as
 * a reader waits for it; lists of the scope wait their turn.
 */
public final class ServerQuestions<T extends HasMetadata> implements ScopeQuestions<T> {

	private final ResourceType<T> type;

	private final String namespace;

	private final @Nullable String labelSelector;

	private final Function<ApiRequest, CompletableFuture<ApiResponse>> sending;

	private final KubernetesSerialization serialization;

	/**
	 * Creates it.
	 * @param sending sends a request, once or again; to cancel what it returns ends the
	 * exchange
	 */
	public ServerQuestions(ResourceType<T> type, String namespace, @Nullable String labelSelector,
			Function<ApiRequest, CompletableFuture<ApiResponse>> sending, KubernetesSerialization serialization) {
		this.type = type;
		this.namespace = namespace;
		this.labelSelector = labelSelector;
		this.sending = sending;
		this.serialization = serialization;
	}

	@Override
	public CompletableFuture<Answer<T>> find(@Nullable ObjectKey key, Duration limit) {
		return then(question(key).within(limit), (response) -> {
			ListedObjects<T> list = ListedObjects.of(this.type, this.serialization, response);
			return new Answer<>(list.objects(),
					list.undecodable().stream().map(ObjectKey::of).collect(Collectors.toSet()), list.version());
		});
	}

	@Override
	public CompletableFuture<Listing> list(Duration limit) {
		return then(question(null).accept(MediaTypes.METADATA_LIST_PROTOBUF).within(limit), (response) -> {
			Map<ObjectKey, String> versions = new HashMap<>();
			String version = MetadataPage.read(response.bytes(), versions).version();
			return new Listing(versions, version);
		});
	}

	/* Not on the thread of the transport: the scope can be large. */
	private <R> CompletableFuture<R> then(ApiRequest request, Function<ApiResponse, R> parse) {
		CompletableFuture<ApiResponse> sent = this.sending.apply(request);
		CompletableFuture<R> answer = sent.thenApplyAsync(parse, ProtocolThreads.EXECUTOR);
		answer.whenComplete((done, failure) -> sent.cancel(true));
		return answer;
	}

	@Override
	public CompletableFuture<String> version() {
		return this.sending
			.apply(ApiRequest.of("GET", this.type.path(this.namespace.isEmpty() ? null : this.namespace, null))
				.query("limit", "1")
				.accept(MediaTypes.METADATA_LIST)
				.within(ApiRequest.DEFAULT_TIMEOUT)
				.exempted())
			.thenApply((response) -> ListedObjects.of(this.type, this.serialization, response).version());
	}

	private ApiRequest question(@Nullable ObjectKey key) {
		String where = (key != null && !key.namespace().isEmpty()) ? key.namespace() : this.namespace;
		ApiRequest request = ApiRequest.of("GET", this.type.path(where.isEmpty() ? null : where, null))
			.query("labelSelector", this.labelSelector);
		return (key != null) ? request.query("fieldSelector", named(key.name())).exempted() : request;
	}

	/** Names of some resources may hold what has a meaning in a selector. */
	private static String named(String name) {
		return "metadata.name=" + name.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
	}

}
