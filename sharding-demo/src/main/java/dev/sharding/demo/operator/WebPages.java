package dev.sharding.demo.operator;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;

/** Serves every page: what it shows, then who serves it, then under which name. */
@Workflow(dependents = { @Dependent(name = "content", type = PageParts.Content.class),
		@Dependent(name = "server", type = PageParts.Server.class, dependsOn = "content"),
		@Dependent(name = "address", type = PageParts.Address.class, dependsOn = "server") })
@ControllerConfiguration(name = "web-pages")
final class WebPages implements Reconciler<WebPage> {

	@Override
	public UpdateControl<WebPage> reconcile(WebPage page, Context<WebPage> context) {
		long generation = page.getMetadata().getGeneration();
		if (page.getStatus() != null && page.getStatus().getObservedGeneration() == generation) {
			return UpdateControl.noUpdate();
		}
		page.setStatus(Observed.of(generation));
		return UpdateControl.patchStatus(page);
	}

}
