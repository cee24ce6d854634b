package dev.sharding.internal.kubernetes.reconcile.queue;

import org.jspecify.annotations.Nullable;

/**
 * The items of one priority in the order of their arrival: a linked list through the
 * items themselves, so that an item leaves from the middle in constant time.
 */
final class QueueLane<K> {

	private @Nullable QueueItem<K> first;

	private @Nullable QueueItem<K> last;

	private int size;

	void addLast(QueueItem<K> item) {
		item.previous = this.last;
		item.next = null;
		if (this.last == null) {
			this.first = item;
		}
		else {
			this.last.next = item;
		}
		this.last = item;
		this.size++;
	}

	@Nullable QueueItem<K> removeFirst() {
		QueueItem<K> item = this.first;
		if (item != null) {
			remove(item);
		}
		return item;
	}

	void remove(QueueItem<K> item) {
		QueueItem<K> before = item.previous;
		QueueItem<K> after = item.next;
		if (before == null) {
			this.first = after;
		}
		else {
			before.next = after;
		}
		if (after == null) {
			this.last = before;
		}
		else {
			after.previous = before;
		}
		item.previous = null;
		item.next = null;
		this.size--;
	}

	int size() {
		return this.size;
	}

}
