package dev.sharding.internal.core.overlay;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of one key must know beyond the informer's store. Immutable, so it can be
 * taken first and the store be read after: a correction is only forgotten once the store
 * is as new, so the pair is never older than either.
 *
 * @param <K> the key
 * @param <T> the object
 */
public final class Correction<K, T> {

	private final ObjectAccess<K, T> access;

	private final @Nullable OwnResult<T> result;

	private final Set<String> deletedUids;

	private final Map<Long, Optional<K>> doubts;

	Correction(ObjectAccess<K, T> access, @Nullable OwnResult<T> result, Set<String> deletedUids,
			Map<Long, Optional<K>> doubts) {
		this.access = access;
		this.result = result;
		this.deletedUids = deletedUids;
		this.doubts = doubts;
	}

	/**
	 * Returns what a reader sees.
	 * @param stored what the informer's store has for the key
	 * @param watermark how far that store reaches: it holds exactly the state of the
	 * scope at this version; {@code null} if that is not known
	 */
	public Sight<K, T> apply(@Nullable T stored, @Nullable String watermark) {
		if (!this.doubts.isEmpty()) {
			return new Sight.AskServer<>(this.doubts);
		}
		T winner = stored;
		if (this.result != null && !FeedPosition.notOlder(watermark, this.result.version())) {
			Order order = (stored != null)
					? ResourceVersions.compare(this.access.version(stored), this.result.version()) : Order.BEFORE;
			if (order == Order.NOT_COMPARABLE) {
				return new Sight.AskServer<>(Map.of());
			}
			winner = (order == Order.BEFORE) ? this.result.object() : stored;
		}
		boolean deleted = winner != null && this.deletedUids.contains(this.access.uid(winner));
		return new Sight.Known<>(deleted ? null : winner);
	}

}
