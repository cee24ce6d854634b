package dev.sharding.internal.kubernetes.reconcile;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.controller.SecondaryWatch;
import dev.sharding.internal.kubernetes.reconcile.UserEvents.Found;
import dev.sharding.internal.kubernetes.reconcile.queue.Priority;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.ObjectKey;

/**
 * Asks the mappers of one controller whom an object concerns. One that fails is asked
 * again until it answers; the first failure at an object is told with its stack.
 */
final class UserMappers {

	private static final Logger logger = LoggerFactory.getLogger(Controller.class);

	private final String controller;

	private final UserCode userCode;

	private final MapperRetries retries;

	private final Consumer<Found> found;

	/**
	 * Creates them.
	 * @param controller the name of the controller
	 * @param userCode notes how long they take
	 * @param retries asks those again that fail
	 * @param found takes what they find
	 */
	UserMappers(String controller, UserCode userCode, MapperRetries retries, Consumer<Found> found) {
		this.controller = controller;
		this.userCode = userCode;
		this.retries = retries;
		this.found = found;
	}

	/** Finds whom a state of an object concerns, now or later. */
	<S extends HasMetadata> void map(SecondaryWatch<S> watch, S object, Priority priority, Predicate<Object> reaches) {
		ObjectKey about = ObjectKey.of(object);
		Throwable failure = ask(watch, object, about, priority, reaches);
		if (failure != null) {
			boolean first = this.retries.add(List.of(watch, about), () -> {
				Throwable again = ask(watch, object, about, priority, reaches);
				if (again != null) {
					tellAgain(watch, about, again);
				}
				return again == null;
			});
			if (first) {
				UserCode.warn(logger,
						"Mapper failed, asking it again until it answers controller={} resource={} object={}", failure,
						this.controller, watch.type(), about);
			}
			else {
				tellAgain(watch, about, failure);
			}
		}
	}

	/* What the mapper threw, if it did not answer. */
	private <S extends HasMetadata> @Nullable Throwable ask(SecondaryWatch<S> watch, S object, ObjectKey about,
			Priority priority, Predicate<Object> reaches) {
		String what = "mapper of " + watch.type().groupResource();
		try (UserCode.Call call = this.userCode.begin(this.controller, what, about)) {
			boolean complete = true;
			for (ObjectKey key : answer(watch, object)) {
				complete &= key != null;
				if (key != null) {
					this.found.accept(new Found(key, priority, reaches));
				}
			}
			if (!complete) {
				logger.warn("Mapper returned null, which is nothing controller={} resource={} object={}",
						this.controller, watch.type(), about);
			}
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	/* Whatever it promises, it is code of the user. */
	@SuppressWarnings({ "unchecked", "NullAway" })
	private static <S extends HasMetadata> Collection<@Nullable ObjectKey> answer(SecondaryWatch<S> watch, S object) {
		Collection<?> keys = watch.mapper().apply(object);
		return (keys != null) ? (Collection<@Nullable ObjectKey>) keys : Collections.singletonList(null);
	}

	private void tellAgain(SecondaryWatch<?> watch, ObjectKey about, Throwable failure) {
		logger.debug("Mapper failed again controller={} resource={} object={} reason={}", this.controller, watch.type(),
				about, failure.getClass().getName());
	}

}
