package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import dev.sharding.internal.sharder.assignment.metadata.RingConnection;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.LabelCleanUp;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.resource.GroupResource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the labels of a ring off what is not the ring's any more, and keeps account of
 * where there may be such labels, also over a change of the leader. Lives on the
 * sharder's thread.
 */
final class RingLabels {

	private static final Logger log = LoggerFactory.getLogger(RingLabels.class);

	/* A list of each namespace is cheaper than one of all, as long as they are few. */
	private static final int EACH = 20;

	private static final Duration AGAIN = Duration.ofMinutes(1);

	private final SharderParts parts;

	private final RingConnection connection;

	private final String ring;

	/* Whatever may carry a label of the ring. */
	private final Set<GroupResource> labelled;

	/* What was sent last for the next leader to find, unless that failed. */
	private @Nullable Set<GroupResource> written;

	RingLabels(SharderParts parts, RingConnection connection, String ring, Set<GroupResource> before) {
		this.parts = parts;
		this.connection = connection;
		this.ring = ring;
		this.labelled = new LinkedHashSet<>(before);
		this.written = Set.copyOf(before);
	}

	/** The ring lists these resources, and no others. */
	void listed(Set<GroupResource> resources, BooleanSupplier wanted) {
		Set<GroupResource> gone = new LinkedHashSet<>(this.labelled);
		gone.removeAll(resources);
		this.labelled.addAll(resources);
		write();
		takeOff(gone, wanted).thenAcceptAsync((clean) -> {
			if (clean && wanted.getAsBoolean() && this.labelled.removeAll(gone)) {
				write();
			}
		}, this.parts.loop());
	}

	/* What could not be written is written with the next change of the ring. */
	private void write() {
		Set<GroupResource> now = Set.copyOf(this.labelled);
		if (!now.equals(this.written)) {
			this.written = now;
			this.parts.served().write(this.ring, now).thenAcceptAsync((done) -> {
				if (!done && this.written == now) {
					this.written = null;
				}
			}, this.parts.loop());
		}
	}

	/**
	 * What the filter leaves out is not the ring's any more.
	 * @return whether there is no such label left; never fails
	 */
	CompletableFuture<Boolean> selected(Collection<ShardedResource> resources, NamespaceFilter namespaces,
			BooleanSupplier wanted) {
		return new LabelCleanUp(this.connection, this.ring, wanted).start(resources, namespaces::leavesOut)
			.thenApply((clean) -> {
				log.debug("Looked for labels in other namespaces ring={} clean={}", this.ring, clean);
				return clean;
			});
	}

	/**
	 * These namespaces have left the ring. They are listed one after the other, or all at
	 * once where there are many of them; none waits for the patches of another.
	 * @return whether there is no label left; never fails
	 */
	CompletableFuture<Boolean> left(Collection<ShardedResource> resources, Set<String> left, NamespaceFilter namespaces,
			BooleanSupplier wanted) {
		if (lists(left.size()) < left.size()) {
			return selected(resources, namespaces, wanted);
		}
		List<ShardedResource> namespaced = resources.stream()
			.filter((resource) -> resource.type().namespaced())
			.toList();
		return new LabelCleanUp(this.connection, this.ring, wanted).in(left).start(namespaced, namespaces::leavesOut);
	}

	/** How many lists of a resource it takes that so many namespaces have left. */
	static int lists(int left) {
		return (left > EACH) ? 1 : left;
	}

	/**
	 * The ring is gone. Returns what may carry its labels until they are off.
	 * @param ended completes once nobody puts labels on any more
	 */
	Set<GroupResource> end(CompletableFuture<Void> ended, BooleanSupplier wanted, Runnable off) {
		ended.thenComposeAsync((done) -> takeOff(this.labelled, wanted), this.parts.loop()).thenAcceptAsync((clean) -> {
			if (clean && wanted.getAsBoolean()) {
				this.parts.served().write(this.ring, Set.of());
				off.run();
			}
		}, this.parts.loop());
		return Set.copyOf(this.labelled);
	}

	private CompletableFuture<Boolean> takeOff(Set<GroupResource> resources, BooleanSupplier wanted) {
		ControllerRingSpec former = new ControllerRingSpec(resources.stream()
			.map((resource) -> new MainResource(resource.group(), resource.resource(), null))
			.toList(), null);
		return this.parts.discovery()
			.find(former)
			.thenCompose((found) -> new LabelCleanUp(this.connection, this.ring, wanted)
				.start(found.resources().keySet(), (namespace) -> true)
				.thenCompose((clean) -> (clean && found.unanswered()) ? takeOffLater(resources, wanted)
						: CompletableFuture.completedFuture(clean)));
	}

	/* There may be labels on what nobody can list as long as its API does not answer. */
	private CompletableFuture<Boolean> takeOffLater(Set<GroupResource> resources, BooleanSupplier wanted) {
		CompletableFuture<Boolean> clean = new CompletableFuture<>();
		this.parts.loop().schedule(() -> {
			if (wanted.getAsBoolean()) {
				takeOff(resources, wanted).thenAccept(clean::complete);
			}
			else {
				clean.complete(false);
			}
		}, AGAIN);
		return clean;
	}

}
