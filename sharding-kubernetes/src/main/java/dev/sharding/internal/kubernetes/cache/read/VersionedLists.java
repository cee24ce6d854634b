package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.ConsistentReadException;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.NamespaceNotCoveredException;
import dev.sharding.cache.ObjectPage;
import dev.sharding.internal.core.read.ListPlan;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.wire.UndecodableException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ResourceType;

/**
 * Lists of the past, and pages of them, which only the API server knows.
 */
public final class VersionedLists<T extends HasMetadata> {

	/** How long a reader waits whose freshness knows no wait. */
	private static final Duration LIMIT = Duration.ofSeconds(10);

	private final ResourceType<T> type;

	private final ResourceReader<T> reader;

	private final LongSupplier nanos;

	public VersionedLists(ResourceType<T> type, ResourceReader<T> reader, LongSupplier nanos) {
		this.type = type;
		this.reader = reader;
		this.nanos = nanos;
	}

	/**
	 * Lists at a version: one page if there is a limit, else everything.
	 * @throws ConsistentReadException if the API server refuses, for example as the
	 * version is gone
	 */
	ObjectPage<T> at(InformerSpec<T> spec, ListOptions options, ListPlan.Exact plan) {
		ReadWait wait = waitFor(options);
		ApiRequest first = request(spec, options, plan.limit()).query("resourceVersion", plan.version())
			.query("resourceVersionMatch", "Exact");
		ListedObjects<T> page = ask(first, options, wait);
		List<T> found = new ArrayList<>(page.objects());
		while (plan.limit() == null && !page.continueToken().isEmpty()) {
			page = ask(request(spec, options, null).query("continue", page.continueToken()), options, wait);
			found.addAll(page.objects());
		}
		return answer(options, found, page);
	}

	/** The page that a token stands for. */
	ObjectPage<T> next(InformerSpec<T> spec, ListOptions options, ListPlan.NextPage plan) {
		ListedObjects<T> page = ask(request(spec, options, plan.limit()).query("continue", plan.token()), options,
				waitFor(options));
		return answer(options, page.objects(), page);
	}

	/*
	 * One after the other on the thread of the reader, so that none is asked for any more
	 * when the reader has left.
	 */
	private ListedObjects<T> ask(ApiRequest request, ListOptions options, ReadWait wait) {
		ListedObjects<T> page = wait.await(this.reader.page(request, wait.left()));
		page.undecodable().stream().filter(options::mayMean).findFirst().ifPresent((unfit) -> {
			throw new UndecodableException(this.type, unfit);
		});
		return page;
	}

	private ReadWait waitFor(ListOptions options) {
		Freshness freshness = options.freshness();
		return new ReadWait(this.type, this.nanos, Objects.requireNonNullElse(freshness.deadline(), LIMIT),
				freshness.cancellation())
			.asking(this.reader::retryAfter);
	}

	private ApiRequest request(InformerSpec<T> spec, ListOptions options, @Nullable Integer limit) {
		return this.reader.listing(namespace(spec, options), spec.labelSelector())
			.query("limit", (limit != null) ? limit.toString() : null);
	}

	private String namespace(InformerSpec<T> spec, ListOptions options) {
		String asked = options.namespace();
		if (asked != null && !spec.namespaces().isEmpty() && !spec.namespaces().contains(asked)) {
			throw new NamespaceNotCoveredException(this.type, asked, spec.namespaces());
		}
		if (asked != null) {
			return asked;
		}
		if (spec.namespaces().size() > 1) {
			throw new IllegalArgumentException(
					"Failed to list %s at a version: the cache covers several namespaces (%s); name one"
						.formatted(this.type, spec.namespaces()));
		}
		return spec.namespaces().stream().findFirst().orElse("");
	}

	private ObjectPage<T> answer(ListOptions options, List<T> found, ListedObjects<T> last) {
		List<T> selected = new ArrayList<>(found);
		selected.removeIf((object) -> !options.selects(object));
		return new ObjectPage<>(selected, last.version(), last.continueToken().isEmpty() ? null : last.continueToken());
	}

}
