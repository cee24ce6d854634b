package com.example.website;

import java.util.List;

import dev.sharding.cache.ResourceCache;
import dev.sharding.cache.ResourceCaches;
import dev.sharding.controller.EventRecorder;
import dev.sharding.controller.LeaderElectedController;
import dev.sharding.controller.Reconciler;
import dev.sharding.controller.Result;
import dev.sharding.resource.ResourceType;
import org.springframework.beans.factory.annotation.Qualifier;

/** Tells of websites that want the same name. A shard sees its own only, so one replica looks at all. */
// region elected
@LeaderElectedController
class HostConflicts implements Reconciler<Website> {

	private final ResourceCache<Website> all;

	private final EventRecorder events;

	HostConflicts(@Qualifier("noRingResourceCaches") ResourceCaches caches,
			@Qualifier("noRingEventRecorder") EventRecorder events) {
		this.all = caches.of(Website.class);
		this.events = events;
		caches.index(ResourceType.of(Website.class), "host", (website) -> List.of(website.getSpec().host));
	}

	@Override
	public Result reconcile(Website website) {
		String host = website.getSpec().host;
		if (this.all.byIndex("host", host).size() > 1) {
			this.events.warning(website, "HostConflict", "Compare", "Another website wants " + host + " as well");
		}
		return Result.done();
	}

}
// endregion
