package dev.sharding.kubernetes.cache;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.core.overlay.Correction;
import dev.sharding.core.overlay.Overlay;
import dev.sharding.core.overlay.OverlayLimits;
import dev.sharding.core.overlay.OverlayTick;
import dev.sharding.core.overlay.ReadView;
import dev.sharding.core.overlay.Sight;
import dev.sharding.kubernetes.informer.Store;
import dev.sharding.kubernetes.resource.ObjectKey;

/**
 * The overlay of one list and watch, its lock, and the questions that it has for the API
 * server. Nothing blocks under the lock.
 */
final class Feed<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(InformerCaches.class);

	/** A question settles its doubts; others can arise meanwhile. */
	private static final int QUESTIONS = 3;

	private final String namespace;

	private final Overlay<ObjectKey, T> overlay;

	private final ScopeQuestions<T> questions;

	private final LongSupplier nanos;

	private final AtomicBoolean asking = new AtomicBoolean();

	private final AtomicBoolean covering = new AtomicBoolean();

	private final AtomicBoolean refreshing = new AtomicBoolean();

	/** Whether the store alone is right. */
	private volatile boolean quiet = true;

	Feed(String namespace, ScopedAccess<T> access, ScopeQuestions<T> questions, LongSupplier nanos) {
		this.namespace = namespace;
		this.overlay = new Overlay<>(access, OverlayLimits.defaults());
		this.questions = questions;
		this.nanos = nanos;
	}

	/** The namespace that it follows, or empty for all. */
	String namespace() {
		return this.namespace;
	}

	boolean isQuiet() {
		return this.quiet;
	}

	synchronized <R> R with(Function<Overlay<ObjectKey, T>, R> use) {
		try {
			return use.apply(this.overlay);
		}
		finally {
			this.quiet = this.overlay.correctsNothing();
		}
	}

	void relistStarted() {
		change(Overlay::relistStarted);
	}

	void relistFinished(String version) {
		change((overlay) -> overlay.relistFinished(version));
	}

	void bookmark(String version) {
		change((overlay) -> overlay.bookmark(version));
	}

	void change(Consumer<Overlay<ObjectKey, T>> use) {
		with((overlay) -> {
			use.accept(overlay);
			return true;
		});
	}

	synchronized ReadView<ObjectKey, T> view() {
		return this.overlay.view();
	}

	/** Reads one object: the correction first, the store after. */
	@Nullable T get(ObjectKey key, Store<T> store, Patience patience) {
		for (int questions = 1; !this.quiet; questions++) {
			Correction<ObjectKey, T> correction = correction(key);
			if (correction == null) {
				break;
			}
			Sight<ObjectKey, T> sight = store
				.read((view) -> correction.apply(view.get(key), view.watermark(key.namespace())));
			if (sight instanceof Sight.Known<ObjectKey, T> known) {
				return known.result();
			}
			ScopeQuestions.Answer<T> answer = ask(((Sight.AskServer<ObjectKey, T>) sight).writes(), patience);
			if (!answer.isComparable() || questions == QUESTIONS) {
				return answer.objects()
					.stream()
					.filter((object) -> ObjectKey.of(object).equals(key))
					.findFirst()
					.orElse(null);
			}
		}
		return store.get(key);
	}

	/** What a reader sees, as far as that is known without asking. */
	Sight<ObjectKey, T> sight(ObjectKey key, Store<T> store) {
		Correction<ObjectKey, T> correction = this.quiet ? null : correction(key);
		return (correction == null) ? new Sight.Known<>(store.get(key))
				: store.read((view) -> correction.apply(view.get(key), view.watermark(key.namespace())));
	}

	/**
	 * Asks the API server about writes in doubt.
	 * @return all that they may have written
	 */
	ScopeQuestions.Answer<T> ask(Map<Long, Optional<ObjectKey>> writes, Patience patience) {
		ScopeQuestions.Answer<T> answer = patience.await(this.questions.find(only(writes), patience.left()));
		resolved(writes.keySet(), answer);
		return answer;
	}

	/** Reads the scope past the store, for versions that cannot be compared. */
	Collection<T> askForAll(Patience patience) {
		return patience.await(this.questions.find(null, patience.left())).objects();
	}

	/** Asks for what a tick found missing. Returns at once; the next tick asks again. */
	void settle(OverlayTick<ObjectKey, T> due, Supplier<CompletableFuture<Void>> refresh) {
		if (!due.doubts().isEmpty()) {
			once(this.asking, () -> this.questions.find(only(due.doubts()), Patience.USUAL.left())
				.thenAccept((answer) -> resolved(due.doubts().keySet(), answer)));
		}
		if (!due.uncovered().isEmpty()) {
			once(this.covering, () -> this.questions.version()
				.thenAccept((version) -> change((overlay) -> overlay.covered(due.uncovered(), version))));
		}
		if (!due.stuck().isEmpty()) {
			once(this.refreshing,
					() -> refresh.get().thenRun(() -> change((overlay) -> overlay.refreshed(due.stuck()))));
		}
	}

	private void once(AtomicBoolean running, Supplier<CompletableFuture<Void>> question) {
		if (running.compareAndSet(false, true)) {
			CompletableFuture<Void> asked;
			try {
				asked = question.get();
			}
			catch (RuntimeException ex) {
				asked = CompletableFuture.failedFuture(ex);
			}
			asked.whenComplete((done, failure) -> {
				running.set(false);
				if (failure != null) {
					logger.debug("Failed to settle own writes, trying again namespace={} reason=\"{}\"", this.namespace,
							failure.getMessage());
				}
			});
		}
	}

	private void resolved(Set<Long> writes, ScopeQuestions.Answer<T> answer) {
		long now = this.nanos.getAsLong();
		change((overlay) -> overlay.resolved(writes, answer.objects(), answer.version(), now));
	}

	private static @Nullable ObjectKey only(Map<Long, Optional<ObjectKey>> writes) {
		return (writes.size() == 1) ? writes.values().iterator().next().orElse(null) : null;
	}

	private synchronized @Nullable Correction<ObjectKey, T> correction(ObjectKey key) {
		return this.overlay.correction(key);
	}

}
