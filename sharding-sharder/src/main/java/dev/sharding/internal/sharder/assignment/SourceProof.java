package dev.sharding.internal.sharder.assignment;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.metadata.Source;
import dev.sharding.internal.sharder.assignment.placement.Placement;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.internal.sharder.watch.EventLoop;

/**
 * The proof that a {@link Source} shows all that was made before some claims ended: for
 * each resource, one object of it was patched after that, and the source shows it. Asks
 * for nothing that is not done anyway. All but {@link #missing()} may be called by any
 * thread.
 */
final class SourceProof {

	private final Map<ShardedResource, CompletableFuture<Boolean>> proofs = new LinkedHashMap<>();

	/* The resources of which an object was patched. */
	private final Set<ShardedResource> begun = new HashSet<>();

	private final Source source;

	private final EventLoop loop;

	/**
	 * @param resources what has to be proved
	 */
	SourceProof(Source source, Collection<ShardedResource> resources, EventLoop loop) {
		this.source = source;
		this.loop = loop;
		resources.forEach((resource) -> this.proofs.put(resource, new CompletableFuture<>()));
	}

	/** An object of the source was placed. */
	void placed(Placement placement) {
		if (placement.outcome() == Outcome.PATCHED) {
			this.loop.execute(() -> prove(placement.object()));
		}
	}

	private void prove(ShardedObject patched) {
		CompletableFuture<Boolean> proof = this.proofs.get(patched.resource());
		if (proof != null && this.begun.add(patched.resource())) {
			this.source.told(patched.resource(), patched.resourceVersion()).thenAccept(proof::complete);
		}
	}

	/** No more objects will be placed. */
	void end() {
		this.loop.execute(() -> this.proofs.forEach((resource, proof) -> {
			if (!this.begun.contains(resource)) {
				proof.complete(false);
			}
		}));
	}

	/**
	 * Tells what is not proved.
	 * @return the resources of which there is no proof; never fails
	 */
	CompletableFuture<Set<ShardedResource>> missing() {
		return CompletableFuture.allOf(this.proofs.values().toArray(CompletableFuture[]::new)).thenApply((done) -> {
			Set<ShardedResource> missing = new LinkedHashSet<>();
			this.proofs.forEach((resource, proof) -> {
				if (!Boolean.TRUE.equals(proof.join())) {
					missing.add(resource);
				}
			});
			return missing;
		});
	}

}
