package dev.sharding.internal.kubernetes.informer;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import dev.sharding.internal.kubernetes.informer.store.Store;

/**
 * How an informer fares. Over several namespaces it is the worst of them.
 *
 * @param synced whether the store was filled once
 * @param watching whether a watch is open
 * @param failingSince since when lists or watches have been failing, or {@code null} if
 * the last attempt succeeded
 * @param failingFor how long they have been failing by the monotonic clock, zero if they
 * are not
 * @param refused whether all of them that fail do so because the API server answered 403
 * or 404: there is no such resource, or the right to read it is missing
 * @param unanswered whether one of them that fail does so because no answer came
 * @param lastError what failed last, or {@code null} if nothing did so far
 * @param watermark the version up to which the store has everything, or {@code null}
 * before the first list
 * @param objects how many objects the store holds
 * @param relists how often the scope was listed
 * @param undecodable how many objects of the scope do not fit their class and are missing
 * or outdated in the store
 * @param unindexed how many objects an index function failed for, so that its index does
 * not find them
 */
public record InformerStatus(boolean synced, boolean watching, @Nullable Instant failingSince, Duration failingFor,
		boolean refused, boolean unanswered, @Nullable String lastError, @Nullable String watermark, int objects,
		long relists, int undecodable, int unindexed) {

	/**
	 * How the informer fares for somebody who does not count on its store yet.
	 * @return the same, but neither synced nor with objects
	 */
	public InformerStatus unsynced() {
		return new InformerStatus(false, this.watching, this.failingSince, this.failingFor, this.refused,
				this.unanswered, this.lastError, null, 0, this.relists, this.undecodable, 0);
	}

	/**
	 * How the informer fares for somebody whose questions to the API server fail, whether
	 * or not lists and watches do.
	 * @param since since when
	 * @param duration for how long by the monotonic clock
	 * @param error what the API server answered last
	 * @return the same if it is failing by itself, otherwise with that
	 */
	public InformerStatus failing(Instant since, Duration duration, String error) {
		return (this.failingSince != null) ? this : new InformerStatus(this.synced, this.watching, since, duration,
				false, false, error, this.watermark, this.objects, this.relists, this.undecodable, this.unindexed);
	}

	/** Both together: the worse of each, the sums of the counts. */
	InformerStatus and(InformerStatus other) {
		return new InformerStatus(this.synced && other.synced, this.watching && other.watching,
				earlier(this.failingSince, other.failingSince),
				(this.failingFor.compareTo(other.failingFor) >= 0) ? this.failingFor : other.failingFor,
				(this.refused || other.refused) && isSettled() && other.isSettled(),
				this.unanswered || other.unanswered, (this.lastError != null) ? this.lastError : other.lastError, null,
				0, this.relists + other.relists, this.undecodable + other.undecodable, 0);
	}

	InformerStatus with(Store<?> store) {
		return new InformerStatus(this.synced, this.watching, this.failingSince, this.failingFor, this.refused,
				this.unanswered, this.lastError, store.watermark(), store.size(), this.relists, this.undecodable,
				store.unindexed());
	}

	private boolean isSettled() {
		return this.refused || this.failingSince == null;
	}

	private static @Nullable Instant earlier(@Nullable Instant left, @Nullable Instant right) {
		if (left == null || right == null) {
			return (left != null) ? left : right;
		}
		return left.isBefore(right) ? left : right;
	}

}
