package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.kubernetes.informer.CatchUp;

/*
 * The view is the store without the own writes of this process: those that returned before the read began are
 * in it, and one that is still under way may be newer than a write of somebody else that the watch has not
 * told yet, so that both together would be no state that ever was.
 */
/**
 * Has the informer catch up with the API server.
 */
final class ValidatedSource<T extends HasMetadata> implements FreshSource<T> {

	private final OverlaidStore<T> store;

	ValidatedSource(OverlaidStore<T> store) {
		this.store = store;
	}

	@Override
	public CompletableFuture<Fresh<T>> read() {
		CompletableFuture<CatchUp> seat = this.store.informer().catchUp();
		CompletableFuture<Fresh<T>> fresh = seat
			.thenApply((how) -> new Fresh<>(this.store.plain(), how.name().toLowerCase(Locale.ROOT)));
		fresh.whenComplete((done, failure) -> seat.cancel(false));
		return fresh;
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
