package dev.sharding.internal.kubernetes.cache.read;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.cache.check.ListedView;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.overlay.OverlaidStore;
import dev.sharding.internal.kubernetes.informer.CaughtUp;
import dev.sharding.internal.kubernetes.informer.store.CatchUp;
import dev.sharding.internal.kubernetes.informer.store.Selected;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.informer.wire.LabelQuery;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;

/*
 * The view is the store without the own writes of this process: those that returned before the read began are
 * in it, and one that is still under way may be newer than a write of somebody else that the watch has not
 * told yet, so that both together would be no state that ever was.
 */
/**
 * Has the informer catch up with the API server.
 */
public final class ValidatedSource<T extends HasMetadata> implements ConsistentReadSource<T> {

	private final OverlaidStore<T> store;

	public ValidatedSource(OverlaidStore<T> store) {
		this.store = store;
	}

	@Override
	public CompletableFuture<Snapshot<T>> read() {
		CompletableFuture<CatchUp> seat = this.store.informer().catchUp();
		CompletableFuture<Snapshot<T>> fresh = seat
			.thenApply((how) -> new Snapshot<>(this.store.plain(), outcome(how)));
		fresh.whenComplete((done, failure) -> seat.cancel(false));
		return fresh;
	}

	@Override
	public CompletableFuture<Snapshot<T>> read(LabelQuery query) {
		CompletableFuture<CaughtUp<T>> seat = this.store.informer().catchUp(query);
		// Not on the thread of the handlers: much may be selected.
		CompletableFuture<Snapshot<T>> fresh = seat.thenApplyAsync(
				(caughtUp) -> new Snapshot<>(view(caughtUp.selected()), outcome(caughtUp.how())),
				ProtocolThreads.EXECUTOR);
		fresh.whenComplete((done, failure) -> seat.cancel(false));
		return fresh;
	}

	private StoreView<T> view(@Nullable Selected<T> selected) {
		return (selected != null) ? new ListedView<>(selected.objects(), selected.undecodable(), selected.version(),
				this.store.informer().spec()) : this.store.plain();
	}

	private static String outcome(CatchUp how) {
		return how.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public ReadStrategy strategy() {
		return ReadStrategy.VALIDATED;
	}

	@Override
	public @Nullable Duration retryAfter() {
		return this.store.informer().retryAfter();
	}

}
