package dev.sharding.internal.kubernetes.informer.store;

import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one scope: a resource, one namespace or all, and selectors. Lists never
 * name a resource version, so each is consistent (never the API server's possibly stale
 * memory, which resourceVersion=0 would ask for).
 */
final class ScopeRequests {

	private static final String PAGE = "500";

	private static final String METADATA_PAGE = "10000";

	private static final String NOBODY = "metadata.name=sharding.nobody";

	private static final String NOWHERE = "sharding-nowhere";

	private final InformerSpec<? extends HasMetadata> spec;

	private final String path;

	private final String probed;

	ScopeRequests(InformerSpec<? extends HasMetadata> spec, String namespace) {
		this.spec = spec;
		this.path = spec.type().path(namespace, null);
		this.probed = (spec.type().namespaced() && namespace.isEmpty()) ? spec.type().path(NOWHERE, null) : this.path;
	}

	ApiRequest page(@Nullable String continueToken) {
		return list(PAGE, continueToken, null)
			.accept(this.spec.type().isMetadataOnly() ? MediaTypes.METADATA_LIST : MediaTypes.JSON);
	}

	ApiRequest metadataPage(@Nullable String continueToken, @Nullable LabelQuery query) {
		return list(METADATA_PAGE, continueToken, query).accept(MediaTypes.METADATA_LIST_PROTOBUF);
	}

	/** Without a limit, as only then every API server answers from its memory. */
	ApiRequest metadataNotOlderThan(String version, @Nullable LabelQuery query) {
		return scoped(this.spec.fieldSelector(), query).query("resourceVersion", version)
			.query("resourceVersionMatch", "NotOlderThan")
			.accept(MediaTypes.METADATA_LIST_PROTOBUF);
	}

	ApiRequest metadataAt(String version) {
		return metadataPage(null, null).query("resourceVersion", version).query("resourceVersionMatch", "Exact");
	}

	private ApiRequest list(String limit, @Nullable String continueToken, @Nullable LabelQuery query) {
		return scoped(this.spec.fieldSelector(), query).query("limit", limit).query("continue", continueToken);
	}

	/**
	 * A list of nothing, which tells the present version at a constant price: without a
	 * namespace the API server would look through all objects for that name.
	 */
	ApiRequest probe() {
		String fields = this.spec.fieldSelector();
		return scoped(this.probed, (fields != null) ? fields + "," + NOBODY : NOBODY, null)
			.accept(MediaTypes.METADATA_LIST)
			.exempted();
	}

	private ApiRequest scoped(@Nullable String fieldSelector, @Nullable LabelQuery query) {
		return scoped(this.path, fieldSelector, query);
	}

	private ApiRequest scoped(String from, @Nullable String fieldSelector, @Nullable LabelQuery query) {
		return ApiRequest.of("GET", from)
			.query("labelSelector", labelSelector(query))
			.query("fieldSelector", fieldSelector)
			// The server gives up no later than we do, also when etcd hangs.
			.query("timeout", this.spec.timings().answer().toSeconds() + "s")
			.timeout(this.spec.timings().answer());
	}

	/** The scope ends where it did, whatever is selected of it. */
	private @Nullable String labelSelector(@Nullable LabelQuery query) {
		String scope = this.spec.labelSelector();
		if (query == null) {
			return scope;
		}
		return (scope != null) ? scope + "," + query.selector() : query.selector();
	}

	/** What happened after {@code version}. */
	ApiRequest watch(String version, long seconds) {
		return watch(seconds).query("resourceVersion", version);
	}

	/** All objects, an end mark, and what happened after it (KEP-3157). */
	ApiRequest watchList(long seconds) {
		return watch(seconds).query("sendInitialEvents", "true").query("resourceVersionMatch", "NotOlderThan");
	}

	private ApiRequest watch(long seconds) {
		return ApiRequest.of("GET", this.path)
			.query("watch", "1")
			.query("allowWatchBookmarks", "true")
			.query("timeoutSeconds", Long.toString(seconds))
			.query("labelSelector", this.spec.labelSelector())
			.query("fieldSelector", this.spec.fieldSelector())
			.accept(this.spec.type().isMetadataOnly() ? MediaTypes.METADATA : MediaTypes.JSON)
			.timeout(this.spec.timings().answer());
	}

}
