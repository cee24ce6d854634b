package dev.sharding.internal.kubernetes.reconcile;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import dev.sharding.controller.ReconcileContext;
import dev.sharding.controller.Result;
import dev.sharding.internal.kubernetes.usercode.UserCode;

/**
 * The observation of one reconcile. Whatever its handlers throw, the reconcile runs, and
 * runs once.
 */
final class ReconcileObservation implements AutoCloseable {

	private final ReconcileContext context;

	private @Nullable Observation observation;

	private Observation.@Nullable Scope scope;

	ReconcileObservation(ReconcileContext context, ObservationRegistry registry) {
		this.context = context;
		UserCode.aside(() -> {
			this.observation = context.observe(registry).start();
			this.scope = this.observation.openScope();
		});
	}

	void succeeded(Result result) {
		this.context.result(ControllerMetrics.text(result));
	}

	void failed(Throwable failure) {
		this.context.result(ControllerMetrics.text(failure));
		Observation current = this.observation;
		if (current != null) {
			UserCode.aside(() -> current.error(failure));
		}
	}

	@Override
	public void close() {
		Observation.Scope opened = this.scope;
		if (opened != null) {
			UserCode.aside(opened::close);
		}
		Observation current = this.observation;
		if (current != null) {
			UserCode.aside(current::stop);
		}
	}

}
