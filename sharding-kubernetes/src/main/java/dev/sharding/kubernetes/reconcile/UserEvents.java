package dev.sharding.kubernetes.reconcile;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PartialObjectMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.kubernetes.informer.InformerEvent;
import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.usercode.UserCode;

/**
 * Asks the mappers, selections and filters of one controller what an event means. Those
 * of the user run on a thread of the controller's own, so the threads that tell events
 * never wait for them. What they throw concerns the object that they threw at: a filter
 * that fails hides nothing, a mapper that fails is asked again until it answers.
 *
 * @param <T> the main resource
 */
final class UserEvents<T extends HasMetadata> implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Controller.class);

	private static final Backoff AGAIN = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5), 0);

	private final ControllerSpec<T> spec;

	private final UserCode userCode;

	private final Function<ObjectKey, @Nullable T> main;

	private final Consumer<Found> found;

	private final UserThread thread;

	private final MapperRetries retries;

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
		this.main = main;
		this.spec = spec;
		this.userCode = userCode;
		this.found = found;
		this.thread = new UserThread(spec.name(), lookAtAll);
		this.retries = new MapperRetries(this.thread, AGAIN);
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
				if (isAccepted(before, object)) {
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

	/* One that is selected from now on is as good as new. */
	private boolean isAccepted(@Nullable T before, T after) {
		return isSelected(after) && (before == null
				|| accepts("filter", after, () -> this.spec.filter().accepts(before, after)) || !isSelected(before));
	}

	private boolean isSelected(T object) {
		return this.spec.selectsAll() || accepts("select", object, () -> this.spec.selection().test(object));
	}

	/* What is not there is nobody's, and the worker will see that. */
	private boolean isSelected(ObjectKey key) {
		T object = this.spec.selectsAll() ? null : this.main.apply(key);
		return object == null || isSelected(object);
	}

	/* A filter that fails must not hide an object for good. */

	private boolean accepts(String what, T object, BooleanSupplier judgement) {
		ObjectKey key = ObjectKey.of(object);
		try (UserCode.Call call = this.userCode.begin(this.spec.name(), what, key)) {
			return judgement.getAsBoolean();
		}
		catch (Throwable ex) {
			logger.warn("Filter failed, reconciling anyway controller={} key={}", this.spec.name(), key, ex);
			return true;
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
					() -> owners.ownersOf(unfit).forEach((owner) -> found(owner, priority, reaches)));
		}
		for (S state : states(event, known)) {
			run(watch.mapper() instanceof OwnerMapper && this.spec.selectsAll(), () -> {
				if (!map(watch, state, priority, reaches)) {
					this.retries.add(List.of(watch, ObjectKey.of(state)), () -> map(watch, state, priority, reaches));
				}
			});
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

	/* Whether the mapper answered. */
	private <S extends HasMetadata> boolean map(SecondaryWatch<S> watch, S object, Priority priority,
			Predicate<Object> reaches) {
		ObjectKey about = ObjectKey.of(object);
		String what = "mapper of " + watch.type().groupResource();
		try (UserCode.Call call = this.userCode.begin(this.spec.name(), what, about)) {
			boolean complete = true;
			for (ObjectKey key : answer(watch, object)) {
				complete &= key != null;
				if (key != null) {
					found(key, priority, reaches);
				}
			}
			if (!complete) {
				logger.warn("Mapper returned null, which is nothing controller={} resource={} object={}",
						this.spec.name(), watch.type(), about);
			}
			return true;
		}
		catch (Throwable ex) {
			logger.warn("Mapper failed, asking it again later controller={} resource={} object={}", this.spec.name(),
					watch.type(), about, ex);
			return false;
		}
	}

	private void found(ObjectKey key, Priority priority, Predicate<Object> reaches) {
		if (isSelected(key)) {
			this.found.accept(new Found(key, priority, reaches));
		}
	}

	/* Whatever it promises, it is code of the user. */
	@SuppressWarnings({ "unchecked", "NullAway" })
	private static <S extends HasMetadata> Collection<@Nullable ObjectKey> answer(SecondaryWatch<S> watch, S object) {
		Collection<?> keys = watch.mapper().apply(object);
		return (keys != null) ? (Collection<@Nullable ObjectKey>) keys : Collections.singletonList(null);
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
