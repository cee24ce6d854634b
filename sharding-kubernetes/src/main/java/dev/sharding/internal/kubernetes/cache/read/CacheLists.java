package dev.sharding.internal.kubernetes.cache.read;

import java.util.ArrayList;
import java.util.List;

import io.fabric8.kubernetes.api.model.HasMetadata;

import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.ObjectPage;
import dev.sharding.internal.core.read.ListPlan;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ResourceType;

/**
 * Lists of one resource, from memory or, of the past and by pages, from the API server.
 */
public final class CacheLists<T extends HasMetadata> {

	private final ResourceType<T> type;

	private final ConsistentReads<T> consistentReads;

	private final VersionedLists<T> versioned;

	private final ObjectCopier copier;

	public CacheLists(ResourceType<T> type, ConsistentReads<T> consistentReads, VersionedLists<T> versioned,
			ObjectCopier copier) {
		this.type = type;
		this.consistentReads = consistentReads;
		this.versioned = versioned;
		this.copier = copier;
	}

	public List<T> list(OverlaidStore<T> store, ListOptions options) {
		String namespace = store.covered(options.namespace());
		if (options.versions().equals(VersionQuery.NONE)) {
			return this.consistentReads.read(store, namespace, options.freshness(), options::mayMean, options.query(),
					(view) -> selected(view, options, this.copier));
		}
		ObjectPage<T> page = page(store, options);
		if (page.continueToken() != null) {
			throw new IllegalArgumentException(
					"Failed to list %s: there are more pages than this one; ask for them by 'page'"
						.formatted(this.type));
		}
		return page.items();
	}

	public ObjectPage<T> page(OverlaidStore<T> store, ListOptions options) {
		ListPlan plan = options.versions().plan();
		if (plan instanceof ListPlan.Refused refused) {
			throw new IllegalArgumentException("Failed to list %s: %s".formatted(this.type, refused.reason()));
		}
		if (plan instanceof ListPlan.Exact exact) {
			return this.versioned.at(store.informer().spec(), options, exact);
		}
		if (plan instanceof ListPlan.NextPage next) {
			return this.versioned.next(store.informer().spec(), options, next);
		}
		String namespace = store.covered(options.namespace());
		return this.consistentReads.read(store, namespace, freshness(plan, options), options::mayMean, options.query(),
				(view) -> {
					// Before the objects, so that it does not promise more than they
					// show.
					String version = view.watermark();
					return new ObjectPage<>(selected(view, options, this.copier), version, null);
				});
	}

	private static Freshness freshness(ListPlan plan, ListOptions options) {
		if (plan instanceof ListPlan.Cached) {
			return Freshness.ANY;
		}
		return (plan instanceof ListPlan.NotOlderThan wanted) ? options.freshness().reaching(wanted.version())
				: options.freshness();
	}

	/* An owner has few objects, of however many there are. */
	static <T extends HasMetadata> List<T> selected(StoreView<T> view, ListOptions options, ObjectCopier copier) {
		List<T> all = (options.owner() != null) ? view.byIndex(ControllerOwner.INDEX, options.owner())
				: (options.namespace() != null) ? view.list(options.namespace()) : view.list();
		if (options.shared() && options.selectsAll()) {
			return all;
		}
		List<T> selected = new ArrayList<>(all.size());
		for (T object : all) {
			if (options.selects(object)) {
				selected.add(options.shared() ? object : copier.copy(object));
			}
		}
		return selected;
	}

}
