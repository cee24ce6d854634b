package dev.sharding.josdk.tomcat;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

/** Runs web applications in servers that others wish for, and takes them out again. */
@ControllerConfiguration
class WebappReconciler implements Reconciler<Webapp>, Cleaner<Webapp> {

	final Queue<String> cleaned = new ConcurrentLinkedQueue<>();

	@Override
	public List<EventSource<?, Webapp>> prepareEventSources(EventSourceContext<Webapp> context) {
		return List.of(new InformerEventSource<>(InformerEventSourceConfiguration.from(Tomcat.class, Webapp.class)
			.withSecondaryToPrimaryMapper((tomcat) -> context.getPrimaryCache()
				.list((webapp) -> webapp.getSpec().tomcat.equals(tomcat.getMetadata().getName()))
				.map(ResourceID::fromResource)
				.collect(Collectors.toSet()))
			.withPrimaryToSecondaryMapper((Webapp webapp) -> Set
				.of(new ResourceID(webapp.getSpec().tomcat, webapp.getMetadata().getNamespace())))
			.build(), context));
	}

	@Override
	public UpdateControl<Webapp> reconcile(Webapp webapp, Context<Webapp> context) {
		String runsOn = context.getSecondaryResource(Tomcat.class)
			.map((tomcat) -> tomcat.getSpec().version)
			.orElse("nothing");
		if (webapp.getStatus() != null && webapp.getStatus().runsOn.equals(runsOn)) {
			return UpdateControl.noUpdate();
		}
		webapp.setStatus(new Webapp.Status());
		webapp.getStatus().runsOn = runsOn;
		return UpdateControl.patchStatus(webapp);
	}

	@Override
	public DeleteControl cleanup(Webapp webapp, Context<Webapp> context) {
		this.cleaned.add(webapp.getMetadata().getName());
		return DeleteControl.defaultDelete();
	}

}
