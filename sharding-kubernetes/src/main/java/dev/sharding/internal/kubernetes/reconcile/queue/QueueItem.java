package dev.sharding.internal.kubernetes.reconcile.queue;

import org.jspecify.annotations.Nullable;

import dev.sharding.controller.Trigger;

/**
 * All that a work queue knows of one key. It lives while the key waits, is delayed or is
 * worked on, and is linked into its lane directly, so that a key costs one object.
 * Everything but {@link #key} belongs to {@link QueueState}.
 */
public final class QueueItem<K> {

	public final K key;

	/** Waiting in {@link #lane}; with {@link #active}: to be served again. */
	boolean waiting;

	boolean active;

	/** Active, but nobody is at work on it: the API server has yet to answer. */
	boolean unanswered;

	/** The queue was emptied while the key was worked on: its outcome counts no more. */
	public boolean abandoned;

	boolean delayed;

	Priority lane = Priority.LOW;

	Priority delayedLane = Priority.LOW;

	Priority takenFrom = Priority.LOW;

	long due;

	long sequence;

	long waitingSince;

	long activeSince;

	public int failures;

	public int refusals;

	/** It waits, or waited, because its last service asked for another one. */
	boolean again;

	@Nullable QueueItem<K> previous;

	@Nullable QueueItem<K> next;

	QueueItem(K key) {
		this.key = key;
	}

	public Trigger trigger() {
		if (this.again) {
			return (this.failures > 0) ? Trigger.RETRY : Trigger.REQUEUE;
		}
		return (this.takenFrom == Priority.LOW) ? Trigger.RESYNC : Trigger.CHANGE;
	}

	boolean isIdle() {
		return !this.waiting && !this.active && !this.delayed;
	}

}
