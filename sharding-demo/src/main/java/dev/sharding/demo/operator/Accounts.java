package dev.sharding.demo.operator;

import java.util.List;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;

/**
 * Keeps a ConfigMap for every account, without a dependent, and deletes it behind a
 * finalizer.
 */
@ControllerConfiguration(name = "accounts")
final class Accounts implements Reconciler<Account>, Cleaner<Account> {

	private static final PatchContext APPLY = new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY)
		.withFieldManager("accounts")
		.withForce(true)
		.build();

	@Override
	public List<EventSource<?, Account>> prepareEventSources(EventSourceContext<Account> context) {
		return List.of(new InformerEventSource<>(
				InformerEventSourceConfiguration.from(ConfigMap.class, Account.class).build(), context));
	}

	@Override
	public UpdateControl<Account> reconcile(Account account, Context<Account> context) {
		KubernetesClient client = context.getClient();
		ConfigMap known = context.getSecondaryResource(ConfigMap.class).orElse(null);
		ConfigMap wanted = wanted(account);
		if (known == null || !wanted.getData().equals(known.getData())) {
			client.resource(wanted).patch(APPLY);
		}
		long generation = account.getMetadata().getGeneration();
		if (account.getStatus() != null && account.getStatus().getObservedGeneration() == generation) {
			return UpdateControl.noUpdate();
		}
		account.setStatus(Observed.of(generation));
		return UpdateControl.patchStatus(account);
	}

	private static ConfigMap wanted(Account account) {
		ConfigMap wanted = new ConfigMapBuilder().withNewMetadata()
			.withName("account-" + account.getMetadata().getName())
			.withNamespace(account.getMetadata().getNamespace())
			.endMetadata()
			.addToData("owner", account.getSpec().getOwner())
			.build();
		wanted.addOwnerReference(account);
		return wanted;
	}

	@Override
	public DeleteControl cleanup(Account account, Context<Account> context) {
		context.getClient().resource(wanted(account)).delete();
		return DeleteControl.defaultDelete();
	}

}
