package dev.sharding.internal.kubernetes.informer.store;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.informer.wire.ListPage;
import dev.sharding.internal.kubernetes.informer.wire.MetadataPage;
import dev.sharding.internal.kubernetes.informer.wire.MetadataReader;
import dev.sharding.internal.kubernetes.informer.wire.JsonSlice;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ApiResponse;
import dev.sharding.internal.kubernetes.rest.CallContext;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Lists one scope page by page.
 *
 * @param <T> the class of the objects
 */
final class Lister<T extends HasMetadata> {

	private final ApiRequests api;

	private final ApiRequests questions;

	private final ScopeRequests requests;

	/**
	 * Creates a lister.
	 * @param api lists the objects
	 * @param questions asks for versions
	 * @param requests the scope
	 */
	Lister(ApiRequests api, ApiRequests questions, ScopeRequests requests) {
		this.api = api;
		this.questions = questions;
		this.requests = requests;
	}

	/**
	 * Lists everything. The next page is asked for before the present one is parsed.
	 * @param adding parses an item and adds it
	 * @throws ApiException if a page fails
	 */
	ListResult<T> list(BiConsumer<ListResult<T>, JsonSlice> adding) throws InterruptedException {
		ListResult<T> listed = ListResult.empty();
		CompletableFuture<ApiResponse> next = this.api.send(this.requests.page(null));
		while (true) {
			ListPage page = page(next);
			boolean last = page.continueToken().isEmpty();
			if (!last) {
				next = this.api.send(this.requests.page(page.continueToken()));
			}
			page.forEach((item) -> adding.accept(listed, item));
			if (last) {
				return listed.at(page.version());
			}
		}
	}

	private static ListPage page(CompletableFuture<ApiResponse> answer) throws InterruptedException {
		try {
			return ListPage.of(answer.get().bytes());
		}
		catch (ExecutionException ex) {
			throw ApiException.of(ex);
		}
		catch (InterruptedException ex) {
			answer.cancel(true);
			throw ex;
		}
	}

	/**
	 * Lists only which objects there are, in which versions, page by page.
	 * @param query what to select of the scope, or {@code null} for all
	 */
	CompletableFuture<MetadataSnapshot> versions(@Nullable LabelQuery query) {
		return versions(this.requests.metadataPage(null, query), query);
	}

	/** The same in one answer, which is not older than {@code version}. */
	CompletableFuture<MetadataSnapshot> versionsNotOlderThan(String version, @Nullable LabelQuery query) {
		return versions(this.requests.metadataNotOlderThan(version, query), query);
	}

	/** Those of the whole scope as it was at {@code version}. */
	CompletableFuture<MetadataSnapshot> versionsAt(String version) {
		return versions(this.requests.metadataAt(version), null);
	}

	private CompletableFuture<MetadataSnapshot> versions(ApiRequest request, @Nullable LabelQuery query) {
		CompletableFuture<MetadataSnapshot> versions = new CompletableFuture<>();
		collect(versions, new HashMap<>(), request, query, CallContext.capture());
		return versions;
	}

	private void collect(CompletableFuture<MetadataSnapshot> versions, Map<ObjectKey, String> found, ApiRequest request,
			@Nullable LabelQuery query, CallContext caller) {
		MetadataReader reader = new MetadataReader(found);
		CompletableFuture<ApiResponse> sent = caller
			.call(() -> this.questions.sendAndReceive(request, reader::receive));
		versions.whenComplete((done, failure) -> sent.cancel(true));
		sent.thenAcceptAsync((answer) -> {
			MetadataPage page = reader.end();
			if (page.continueToken().isEmpty()) {
				versions.complete(new MetadataSnapshot(page.version(), found));
			}
			else if (!versions.isDone()) {
				collect(versions, found, this.requests.metadataPage(page.continueToken(), query), query, caller);
			}
		}, ProtocolThreads.EXECUTOR).exceptionally((failure) -> {
			versions.completeExceptionally(failure);
			return null;
		});
	}

	/** The present version of the API server, without the cost of a list. */
	CompletableFuture<String> presentVersion() {
		CompletableFuture<ApiResponse> sent = this.questions.send(this.requests.probe());
		CompletableFuture<String> version = sent.thenApply((answer) -> ListPage.of(answer.bytes()).version());
		version.whenComplete((done, failure) -> sent.cancel(true));
		return version;
	}

}
