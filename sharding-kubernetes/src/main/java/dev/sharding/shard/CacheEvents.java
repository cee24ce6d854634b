package dev.sharding.shard;

import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;

import dev.sharding.controller.EventRecorder;
import dev.sharding.internal.kubernetes.cache.check.InconsistencyListener;
import dev.sharding.internal.kubernetes.informer.CheckResult;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Records on an object that a cache had it in another state than the API server.
 */
final class CacheEvents implements InconsistencyListener {

	private final EventRecorder events;

	CacheEvents(EventRecorder events) {
		this.events = events;
	}

	@Override
	public void found(ResourceType<?> type, CheckResult result) {
		record(type, result, "CacheInconsistent",
				"The cache of %s differed from the API server in %d objects at version %s".formatted(type,
						result.differing().size(), result.version()));
	}

	@Override
	public void foundInRead(ResourceType<?> type, CheckResult result) {
		record(type, result, "ReadInconsistent",
				"A read of the cache of %s differed from the API server in %d objects at version %s".formatted(type,
						result.differing().size(), result.version()));
	}

	private void record(ResourceType<?> type, CheckResult result, String reason, String note) {
		ObjectKey first = result.differing().get(0);
		this.events.warning(new ObjectReferenceBuilder().withApiVersion(type.apiVersion())
			.withKind(type.kind())
			.withNamespace(first.namespace().isEmpty() ? null : first.namespace())
			.withName(first.name())
			.build(), reason, "Relist", note);
	}

}
