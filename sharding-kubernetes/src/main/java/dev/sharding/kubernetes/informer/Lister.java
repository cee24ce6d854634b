package dev.sharding.kubernetes.informer;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ApiResponse;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Lists one scope page by page.
 *
 * @param <T> the class of the objects
 */
final class Lister<T extends HasMetadata> {

	private final ApiRequests api;

	private final ScopeRequests requests;

	Lister(ApiRequests api, ScopeRequests requests) {
		this.api = api;
		this.requests = requests;
	}

	/**
	 * Lists everything. The next page is asked for before the present one is parsed.
	 * @param adding parses an item and adds it
	 * @throws ApiException if a page fails
	 */
	Listed<T> list(BiConsumer<Listed<T>, Slice> adding) throws InterruptedException {
		Listed<T> listed = Listed.empty();
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

	/** Lists only which objects there are, in which versions. */
	CompletableFuture<Versions> versions() {
		return versions(new HashMap<>(), null);
	}

	private CompletableFuture<Versions> versions(Map<ObjectKey, String> found, @Nullable String token) {
		return this.api.send(this.requests.metadataPage(token)).thenComposeAsync((answer) -> {
			ListPage page = ListPage.of(answer.bytes());
			page.forEach((item) -> {
				ObjectFacts facts = ObjectFacts.read(item);
				found.put(facts.key(), facts.version());
			});
			return page.continueToken().isEmpty()
					? CompletableFuture.completedFuture(new Versions(page.version(), found))
					: versions(found, page.continueToken());
		});
	}

	/** The present version of the API server, without the cost of a list. */
	CompletableFuture<String> presentVersion() {
		return this.api.send(this.requests.probe()).thenApply((answer) -> ListPage.of(answer.bytes()).version());
	}

	/** What a list of versions found. */
	record Versions(String version, Map<ObjectKey, String> objects) {
	}

}
