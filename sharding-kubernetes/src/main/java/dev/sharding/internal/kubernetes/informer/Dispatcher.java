package dev.sharding.internal.kubernetes.informer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;

/**
 * Calls the handlers of one informer, one event after the other, on a thread of its own.
 * Events wait in memory, as the store must not wait for a handler.
 *
 * @param <T> the class of the objects
 */
final class Dispatcher<T extends HasMetadata> implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Informer.class);

	private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();

	private final String name;

	private volatile List<InformerHandler<T>> handlers = List.of();

	private volatile @Nullable Thread thread;

	private volatile boolean closed;

	Dispatcher(String name) {
		this.name = name;
	}

	/**
	 * Adds a handler for the events submitted from now on, and for {@code first} before
	 * them.
	 */
	void add(InformerHandler<T> handler, List<T> first) {
		List<InformerHandler<T>> extended = new ArrayList<>(this.handlers);
		extended.add(handler);
		this.handlers = List.copyOf(extended);
		this.queue.add(() -> first.forEach((object) -> tell(handler, new InformerEvent.Added<>(object, true))));
	}

	/** Calls a handler no more, not even for the events submitted so far. */
	void remove(InformerHandler<T> handler) {
		List<InformerHandler<T>> others = new ArrayList<>(this.handlers);
		others.remove(handler);
		this.handlers = List.copyOf(others);
	}

	void submit(InformerEvent<T> event) {
		List<InformerHandler<T>> receivers = this.handlers;
		if (!receivers.isEmpty()) {
			this.queue.add(() -> receivers.forEach((handler) -> tell(handler, event)));
		}
	}

	/** Runs {@code action} after the events submitted so far. */
	void submit(Runnable action) {
		this.queue.add(action);
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		while (!this.closed) {
			try {
				this.queue.take().run();
			}
			catch (InterruptedException ex) {
				// Only closing ends this thread; a handler's interrupt does not.
				continue;
			}
			catch (Throwable ex) {
				logger.error("Failed to tell an event: informer={}", this.name, ex);
			}
		}
	}

	/** Whether it is called by a handler, or by what was submitted. */
	boolean isCurrent() {
		return this.thread == Thread.currentThread();
	}

	void close() {
		this.closed = true;
		this.queue.clear();
		this.queue.add(() -> {
		});
	}

	private void tell(InformerHandler<T> handler, InformerEvent<T> event) {
		if (this.handlers.contains(handler)) {
			call(handler, event);
		}
	}

	void call(InformerHandler<T> handler, InformerEvent<T> event) {
		if (this.closed) {
			return;
		}
		try {
			handler.onEvent(event);
		}
		catch (Throwable ex) {
			logger.error("Handler failed: informer={} event={}", this.name, event.getClass().getSimpleName(), ex);
		}
	}

}
