package com.example.josdk;

import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import org.springframework.stereotype.Component;

/** Keeps a ConfigMap with the checksums of every Secret. */
@Component
@Workflow(dependents = @Dependent(type = ChecksumConfigMap.class))
@ControllerConfiguration
class ChecksumReconciler implements Reconciler<Secret> {

	@Override
	public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
		return UpdateControl.noUpdate();
	}

}
