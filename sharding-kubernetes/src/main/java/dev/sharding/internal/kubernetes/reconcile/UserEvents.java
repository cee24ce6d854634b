package dev.sharding.internal.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InformerEvent;
import dev.sharding.controller.Backoff;
import dev.sharding.controller.ControllerSpec;
import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.kubernetes.reconcile.queue.Priority;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.ObjectKey;

/**
 * Asks the mappers, selections and filters of one controller what an event means. Those
 * of the user run on a thread of the controller's own, so the threads that tell events
 * never wait for them. What they throw concerns the object that they threw at: a filter
 * that fails hides nothing, a mapper that fails is asked again until it answers.
 *
 * @param <T> the main resource
 */
final class UserEvents<T extends HasMetadata> implements AutoCloseable {

	private static final Backoff AGAIN = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5), 0);

	private final ControllerSpec<T> spec;

	private final UserFilters<T> filters;

	private final Function<ObjectKey, @Nullable T> main;

	private final Consumer<Found> found;

	private final UserThread thread;

	private final UserMappers mappers;

	/**
	 * Creates it.
	 * @param spec has the mappers and filters
	 * @param userCode notes how long they take
	 * @param main finds a main object
	 * @param lookAtAll has all objects judged anew, where events were dropped
	 * @param found takes what is to be reconciled
	 */
	UserEvents(ControllerSpec<T> spec, UserCode userCode, Function<ObjectKey, @Nullable T> main, Runnable lookAtAll,
			Consumer<Found> found) {
		this.filters = new UserFilters<>(spec, userCode);
		this.main = main;
		this.spec = spec;
		this.found = found;
		this.thread = new UserThread(spec.name(), lookAtAll);
		this.mappers = new UserMappers(spec.name(), userCode, new MapperRetries(this.thread, AGAIN), this::concerned);
	}

	/** An object of ours appeared, if {@code before} is {@code null}, or changed. */
	void changed(@Nullable T before, T after, Priority priority, Predicate<Object> reaches) {
		judge(List.of(after), before, priority, reaches);
	}

	/** Objects of ours are to be looked at again, whatever happened to them. */
	void lookAt(List<T> objects) {
		judge(objects, null, Priority.LOW, (writer) -> true);
	}

	private void judge(List<T> objects, @Nullable T before, Priority priority, Predicate<Object> reaches) {
		boolean ours = this.spec.selectsAll() && (before == null || this.spec.filter() instanceof KnownFilter);
		Runnable task = () -> {
			for (T object : objects) {
				if (this.filters.isAccepted(before, object)) {
					this.found.accept(new Found(ObjectKey.of(object), priority, reaches));
				}
			}
		};
		run(ours, task);
	}

	private void run(boolean ours, Runnable task) {
		if (ours) {
			task.run();
		}
		else {
			this.thread.run(task);
		}
	}

	/**
	 * Something happened to an object of another resource.
	 * @param known finds its last state that fitted its class
	 */
	<S extends HasMetadata> void happened(SecondaryWatch<S> watch, InformerEvent<S> event, Predicate<Object> reaches,
			Function<ObjectKey, @Nullable S> known) {
		Priority priority = (event instanceof InformerEvent.Added<S> added && added.initial()) ? Priority.LOW
				: Priority.NORMAL;
		if (event instanceof InformerEvent.Undecodable<S> undecodable
				&& watch.mapper() instanceof OwnerMapper<S> owners) {
			PartialObjectMetadata unfit = new PartialObjectMetadata();
			unfit.setMetadata(undecodable.metadata());
			run(this.spec.selectsAll(),
					() -> owners.ownersOf(unfit).forEach((owner) -> concerned(new Found(owner, priority, reaches))));
		}
		for (S state : states(event, known)) {
			run(watch.mapper() instanceof OwnerMapper && this.spec.selectsAll(),
					() -> this.mappers.map(watch, state, priority, reaches));
		}
	}

	/* What is not there is nobody's, and the worker will see that. */
	private void concerned(Found hit) {
		T object = this.spec.selectsAll() ? null : this.main.apply(hit.key());
		if (object == null || this.filters.isSelected(object)) {
			this.found.accept(hit);
		}
	}

	private static <S extends HasMetadata> List<S> states(InformerEvent<S> event,
			Function<ObjectKey, @Nullable S> known) {
		List<S> states = new ArrayList<>(2);
		if (event instanceof InformerEvent.Added<S> added) {
			states.add(added.object());
		}
		else if (event instanceof InformerEvent.Updated<S> updated) {
			states.add(updated.before());
			states.add(updated.after());
		}
		else if (event instanceof InformerEvent.Removed<S> removed) {
			states.add(removed.last());
		}
		else if (event instanceof InformerEvent.Undecodable<S> undecodable) {
			S last = known.apply(ObjectKey.of(undecodable.metadata()));
			if (last != null) {
				states.add(last);
			}
		}
		return states;
	}

	/** Interrupts what runs. Waits for nobody. */
	@Override
	public void close() {
		this.thread.close();
	}

	/**
	 * What is to be reconciled.
	 *
	 * @param key the main object
	 * @param priority how urgently
	 * @param reaches tells whether the event is for a writer
	 */
	record Found(ObjectKey key, Priority priority, Predicate<Object> reaches) {
	}

}
