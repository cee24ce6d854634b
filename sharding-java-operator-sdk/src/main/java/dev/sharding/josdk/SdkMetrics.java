package dev.sharding.josdk;

import java.util.Map;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.Controller;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import org.jspecify.annotations.Nullable;

/**
 * Where the SDK tells what its executor does: it calls
 * {@link #reconciliationStarted(HasMetadata, Map)} and
 * {@link #reconciliationFinished(HasMetadata, RetryInfo, Map)} around all that it does
 * for an object on the thread of its executor, its own writes included, and
 * {@link #timeControllerExecution} around reconciler, clean-up and managed workflow. The
 * metrics of the application hear everything.
 */
final class SdkMetrics implements Metrics {

	private final ThreadLocal<ShardObjects.@Nullable Reconcile> current = new ThreadLocal<>();

	private final Metrics metrics;

	private final ShardObjects objects;

	SdkMetrics(Metrics metrics, ShardObjects objects) {
		this.metrics = metrics;
		this.objects = objects;
	}

	@Override
	public void reconciliationStarted(HasMetadata resource, Map<String, Object> metadata) {
		this.current.set(this.objects.begin(resource));
		this.metrics.reconciliationStarted(resource, metadata);
	}

	@Override
	public void reconciliationFinished(HasMetadata resource, RetryInfo retryInfo, Map<String, Object> metadata) {
		ShardObjects.Reconcile running = this.current.get();
		this.current.remove();
		try {
			if (running != null) {
				running.close();
			}
		}
		finally {
			this.metrics.reconciliationFinished(resource, retryInfo, metadata);
		}
	}

	/** Whether this thread has an object in its hands on which it may not act. */
	boolean isHeldBack() {
		ShardObjects.Reconcile running = this.current.get();
		return running != null && !running.mayAct();
	}

	@Override
	public <T> T timeControllerExecution(ControllerExecution<T> execution) throws Exception {
		return isHeldBack() ? skipped(execution) : this.metrics.timeControllerExecution(execution);
	}

	/* What is not ours disappears from the caches; what is, is looked at again. */
	@SuppressWarnings("unchecked")
	private static <T> T skipped(ControllerExecution<T> execution) {
		return execution.name().equals("cleanup")
				? (T) DeleteControl.noFinalizerRemoval().rescheduleAfter(UncountedRetry.LOOK_AGAIN)
				: (T) UpdateControl.noUpdate().rescheduleAfter(UncountedRetry.LOOK_AGAIN);
	}

	@Override
	public void controllerRegistered(Controller<? extends HasMetadata> controller) {
		this.metrics.controllerRegistered(controller);
	}

	@Override
	public void eventReceived(Event event, Map<String, Object> metadata) {
		this.metrics.eventReceived(event, metadata);
	}

	@Override
	public void reconciliationSubmitted(HasMetadata resource, RetryInfo retryInfo, Map<String, Object> metadata) {
		this.metrics.reconciliationSubmitted(resource, retryInfo, metadata);
	}

	@Override
	public void reconciliationFailed(HasMetadata resource, RetryInfo retry, Exception exception,
			Map<String, Object> metadata) {
		this.metrics.reconciliationFailed(resource, retry, exception, metadata);
	}

	@Override
	public void reconciliationSucceeded(HasMetadata resource, Map<String, Object> metadata) {
		this.metrics.reconciliationSucceeded(resource, metadata);
	}

	@Override
	public void cleanupDone(ResourceID resourceId, Map<String, Object> metadata) {
		this.metrics.cleanupDone(resourceId, metadata);
	}

}
