package dev.sharding.kubernetes.cache;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

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

	/** A question settles its doubts, unless versions cannot be compared. */
	private static final int QUESTIONS = 3;

	private final String namespace;

	private final Overlay<ObjectKey, T> overlay;

	private final ScopeQuestions<T> questions;

	private final LongSupplier nanos;

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
	@Nullable T get(ObjectKey key, Store<T> store) {
		for (int questions = 0; !this.quiet; questions++) {
			Correction<ObjectKey, T> correction = correction(key);
			if (correction == null) {
				break;
			}
			Sight<ObjectKey, T> sight = store
				.read((view) -> correction.apply(view.get(key), view.watermark(key.namespace())));
			if (sight instanceof Sight.Known<ObjectKey, T> known) {
				return known.result();
			}
			Collection<T> found = ask(((Sight.AskServer<ObjectKey, T>) sight).writes());
			if (questions == QUESTIONS) {
				return found.stream().filter((object) -> ObjectKey.of(object).equals(key)).findFirst().orElse(null);
			}
		}
		return store.get(key);
	}

	/**
	 * Asks the API server about writes in doubt.
	 * @return all that they may have written
	 */
	Collection<T> ask(Map<Long, Optional<ObjectKey>> writes) {
		ObjectKey only = (writes.size() == 1) ? writes.values().iterator().next().orElse(null) : null;
		ScopeQuestions.Answer<T> answer = this.questions.list(only);
		long now = this.nanos.getAsLong();
		change((overlay) -> overlay.resolved(writes.keySet(), answer.objects(), answer.version(), now));
		return answer.objects();
	}

	/** Asks for what a tick found missing. */
	void settle(OverlayTick<ObjectKey, T> due) {
		if (!due.doubts().isEmpty()) {
			ask(due.doubts());
		}
		Set<Long> deletes = due.uncovered();
		if (!deletes.isEmpty()) {
			this.questions.version().whenComplete((version, failure) -> {
				if (failure == null) {
					change((overlay) -> overlay.covered(deletes, version));
				}
				else {
					logger.debug("Failed to learn a version, trying again: reason=\"{}\"", failure.getMessage());
				}
			});
		}
	}

	private synchronized @Nullable Correction<ObjectKey, T> correction(ObjectKey key) {
		return this.overlay.correction(key);
	}

}
