package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.informer.wire.MetadataPage;
import dev.sharding.internal.kubernetes.informer.wire.MetadataSummary;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.sharder.memory.MemoryThrottle;
import org.jspecify.annotations.Nullable;

/**
 * Lists objects of one ring: metadata only, most recent, in pages, of which one is in
 * memory at a time. The snapshot is consistent over all pages unless it expires on the
 * way; then the list begins again, and the consumer sees objects twice. It fails where it
 * expires time and again and gets no farther. While memory is short, all lists take
 * turns.
 */
public final class MetadataLists {

	public static final int PAGE_SIZE = 500;

	private static final int TRIES = 8;

	private static final Duration FIRST_RETRY = Duration.ofMillis(250);

	private static final int GONE = 410;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final ApiRequests requests;

	private final RingScope scope;

	private final ObjectReader reader;

	private final MemoryThrottle throttle;

	/* Lists this one only, if it is not null. */
	private final @Nullable String namespace;

	public MetadataLists(ApiRequests requests, RingScope scope, MemoryThrottle throttle) {
		this(requests, scope, throttle, null);
	}

	private MetadataLists(ApiRequests requests, RingScope scope, MemoryThrottle throttle, @Nullable String namespace) {
		this.requests = requests;
		this.scope = scope;
		this.throttle = throttle;
		this.namespace = namespace;
		this.reader = new ObjectReader(scope.ring());
	}

	/** The same lists, of one namespace; for namespaced resources. */
	public MetadataLists in(String only) {
		return new MetadataLists(this.requests, this.scope, this.throttle, only);
	}

	/**
	 * Lists the objects of {@code resource} in the namespaces of the ring.
	 * @param labelSelector leaves objects out, or {@code null}
	 * @param stopped asked before each page; {@code true} ends the list early
	 * @param consumer gets one page at a time, on a thread of the transport; the next one
	 * is asked for when what it returns completes, which must not fail
	 * @return completes when the last page is done
	 */
	public CompletableFuture<Void> list(ShardedResource resource, @Nullable String labelSelector,
			BooleanSupplier stopped, Function<Page, CompletableFuture<?>> consumer) {
		ApiRequest first = ApiRequest.of("GET", resource.type().path(this.namespace, null))
			.accept(MediaTypes.METADATA_LIST_PROTOBUF)
			.timeout(TIMEOUT)
			.query("limit", String.valueOf(PAGE_SIZE))
			.query("labelSelector", labelSelector)
			.query("fieldSelector", this.scope.fieldSelector(resource));
		Walk walk = new Walk(resource, first, stopped, consumer);
		walk.ask(first, true);
		return walk.ended;
	}

	/**
	 * One page of a list.
	 *
	 * @param objects those of its objects that the ring shares out
	 * @param version of the list
	 * @param first whether the list begins with it
	 * @param last whether the list ends with it
	 */
	public record Page(List<ShardedObject> objects, String version, boolean first, boolean last) {

		/** The page with some of its objects only. */
		public Page of(List<ShardedObject> some) {
			return new Page(some, this.version, this.first, this.last);
		}

	}

	private final class Walk {

		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private final ShardedResource resource;

		private final ApiRequest first;

		private final BooleanSupplier stopped;

		private final Function<Page, CompletableFuture<?>> consumer;

		private final ListRestarts restarts = new ListRestarts();

		/* Of the page that is asked for. */
		private int tries;

		/* The latest object of any page, whether the ring shares it out or not. */
		private @Nullable MetadataSummary last;

		private Walk(ShardedResource resource, ApiRequest first, BooleanSupplier stopped,
				Function<Page, CompletableFuture<?>> consumer) {
			this.resource = resource;
			this.first = first;
			this.stopped = stopped;
			this.consumer = consumer;
		}

		private void ask(ApiRequest request, boolean isFirst) {
			if (this.stopped.getAsBoolean()) {
				this.ended.complete(null);
				return;
			}
			List<ShardedObject> objects = new ArrayList<>();
			page(request, objects).thenCompose((page) -> answered(page, objects, isFirst)).exceptionally((failure) -> {
				failed(ApiException.of(failure), request, isFirst);
				return null;
			});
		}

		private CompletableFuture<MetadataPage> page(ApiRequest request, List<ShardedObject> objects) {
			MetadataLists lists = MetadataLists.this;
			return lists.throttle
				.inTurn(() -> MetadataPage.fetch(lists.requests, request, lists.reader.labels(), (summary) -> {
					this.last = summary;
					if (!summary.name().isEmpty() && !summary.resourceVersion().isEmpty()
							&& lists.scope.namespaces().includes(summary.namespace())) {
						objects.add(lists.reader.read(this.resource, summary));
					}
				}));
		}

		private CompletableFuture<Void> answered(MetadataPage page, List<ShardedObject> objects, boolean isFirst) {
			String token = page.continueToken();
			boolean last = token.isEmpty();
			this.tries = 0;
			MetadataSummary latest = this.last;
			if (latest != null) {
				this.restarts.came(latest.namespace(), latest.name());
			}
			return this.consumer.apply(new Page(objects, page.version(), isFirst, last)).thenRun(() -> {
				if (last) {
					this.ended.complete(null);
				}
				else {
					ask(this.first.query("continue", token), false);
				}
			});
		}

		/*
		 * To begin anew because of one page may take long, so that page is asked for
		 * again where that may help.
		 */
		private void failed(ApiException failure, ApiRequest request, boolean isFirst) {
			boolean passing = !failure.isAnswered() || failure.isOverload();
			if (passing && !isFirst && this.tries < TRIES) {
				Duration asked = failure.retryAfter();
				Duration wait = (asked != null) ? asked : FIRST_RETRY.multipliedBy(1L << this.tries);
				this.tries++;
				CompletableFuture.delayedExecutor(wait.toMillis(), TimeUnit.MILLISECONDS)
					.execute(() -> ask(request, false));
			}
			else if (failure.status() == GONE && !isFirst && this.restarts.beginAnew()) {
				ask(this.first, true);
			}
			else {
				this.ended.completeExceptionally(failure);
			}
		}

	}

}
