package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiRequest;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import dev.sharding.kubernetes.rest.MediaTypes;
import dev.sharding.kubernetes.rest.ProtocolThreads;

/**
 * Asks the API server by lists without a version: those are most recent. A connection
 * that was closed meanwhile, or an API server that restarts, fails no reader. Each says
 * how long it may take, and passes every QoS queue, as a reader waits for it.
 */
final class ServerQuestions<T extends HasMetadata> implements ScopeQuestions<T> {

	private final ResourceType<T> type;

	private final String namespace;

	private final @Nullable String labelSelector;

	private final RetriedQuestions questions;

	private final KubernetesSerialization serialization;

	ServerQuestions(ResourceType<T> type, String namespace, @Nullable String labelSelector, ApiRequests requests,
			KubernetesSerialization serialization) {
		this.type = type;
		this.namespace = namespace;
		this.labelSelector = labelSelector;
		this.questions = new RetriedQuestions(requests);
		this.serialization = serialization;
	}

	@Override
	public CompletableFuture<Answer<T>> find(@Nullable ObjectKey key, Duration limit) {
		CompletableFuture<ApiResponse> sent = this.questions.send(question(key).within(limit).exempted());
		// Not on the thread of the transport: the scope can be large.
		CompletableFuture<Answer<T>> answer = sent.thenApplyAsync(this::answer, ProtocolThreads.EXECUTOR);
		answer.whenComplete((done, failure) -> sent.cancel(true));
		return answer;
	}

	@Override
	public CompletableFuture<String> version() {
		return this.questions
			.send(ApiRequest.of("GET", this.type.path(this.namespace.isEmpty() ? null : this.namespace, null))
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
		return (key != null) ? request.query("fieldSelector", named(key.name())) : request;
	}

	private Answer<T> answer(ApiResponse response) {
		ListedObjects<T> list = ListedObjects.of(this.type, this.serialization, response);
		return new Answer<>(list.objects(), list.version());
	}

	/** Names of some resources may hold what has a meaning in a selector. */
	private static String named(String name) {
		return "metadata.name=" + name.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
	}

}
