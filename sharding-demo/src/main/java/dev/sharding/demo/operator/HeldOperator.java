package dev.sharding.demo.operator;

import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.demo.held.HoldPoints;

/**
 * A shard that is an operator on java-operator-sdk. But for the place where it can be
 * held there is nothing of sharding in it.
 */
public final class HeldOperator {

	/** The profile of an operator of three reconcilers, whose ring lists more. */
	static final String MORE = "three-reconcilers";

	private HeldOperator() {
	}

	/** Runs it. */
	public static void main(String[] arguments) {
		new SpringApplication(Operator.class, HeldShard.Additions.class).run(arguments);
	}

	/** The application. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	public static class Operator {

		@Bean
		Checksums checksums() {
			return new Checksums();
		}

		@Bean
		@Profile(MORE)
		WebPages webPages() {
			return new WebPages();
		}

		@Bean
		@Profile(MORE)
		Accounts accounts() {
			return new Accounts();
		}

	}

	/** Keeps a ConfigMap with the checksums of every Secret. */
	@ControllerConfiguration
	@Workflow(dependents = @Dependent(type = ChecksumConfigMap.class), explicitInvocation = true)
	static final class Checksums implements Reconciler<Secret> {

		@Override
		public UpdateControl<Secret> reconcile(Secret secret, Context<Secret> context) {
			HoldPoints.pass("reconcile", secret.getMetadata().getName());
			context.managedWorkflowAndDependentResourceContext().reconcileManagedWorkflow();
			HoldPoints.pass("written", secret.getMetadata().getName());
			return UpdateControl.noUpdate();
		}

	}

}
