package dev.sharding.internal.kubernetes.reconcile;

import java.util.function.BooleanSupplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.controller.ControllerSpec;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.resource.ObjectKey;

/**
 * Asks the selection and the filter of one controller. One that fails hides nothing.
 *
 * @param <T> the main resource
 */
final class UserFilters<T extends HasMetadata> {

	private static final Logger logger = LoggerFactory.getLogger(Controller.class);

	private final ControllerSpec<T> spec;

	private final UserCode userCode;

	/**
	 * Creates them.
	 * @param spec has the selection and the filter
	 * @param userCode notes how long they take
	 */
	UserFilters(ControllerSpec<T> spec, UserCode userCode) {
		this.spec = spec;
		this.userCode = userCode;
	}

	/* One that is selected from now on is as good as new. */
	boolean isAccepted(@Nullable T before, T after) {
		return isSelected(after) && (before == null
				|| accepts("filter", after, () -> this.spec.filter().accepts(before, after)) || !isSelected(before));
	}

	boolean isSelected(T object) {
		return this.spec.selectsAll() || accepts("select", object, () -> this.spec.selection().test(object));
	}

	private boolean accepts(String what, T object, BooleanSupplier judgement) {
		ObjectKey key = ObjectKey.of(object);
		try (UserCode.Call call = this.userCode.begin(this.spec.name(), what, key)) {
			return judgement.getAsBoolean();
		}
		catch (Throwable ex) {
			UserCode.warn(logger, "Filter failed, reconciling anyway controller={} key={}", ex, this.spec.name(), key);
			return true;
		}
	}

}
