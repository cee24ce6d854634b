package dev.sharding.josdk.schema;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.UUID;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Deleter;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.dependent.Creator;
import io.javaoperatorsdk.operator.processing.dependent.Matcher;
import io.javaoperatorsdk.operator.processing.dependent.Updater;
import io.javaoperatorsdk.operator.processing.dependent.external.PerResourcePollingDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependentResource;

/**
 * Keeps schemas in a database outside of the cluster: first a Secret with the password of
 * their user, which is made once, then the schema.
 */
@Workflow(dependents = { @Dependent(name = "credentials", type = SchemaReconciler.Credentials.class),
		@Dependent(name = "schema", type = SchemaReconciler.InDatabase.class, dependsOn = "credentials") })
@ControllerConfiguration
class SchemaReconciler implements Reconciler<Schema> {

	/** Where the database is, as an environment variable would say. */
	static volatile URI database = URI.create("http://127.0.0.1:1/");

	@Override
	public UpdateControl<Schema> reconcile(Schema schema, Context<Schema> context) {
		String url = context.getSecondaryResource(Database.Row.class)
			.map((row) -> "db:" + row.name() + "?encoding=" + row.encoding())
			.orElse("");
		if (schema.getStatus() != null && schema.getStatus().url.equals(url)) {
			return UpdateControl.noUpdate();
		}
		schema.setStatus(new Schema.Status());
		schema.getStatus().url = url;
		return UpdateControl.patchStatus(schema);
	}

	private static String nameOf(Schema schema) {
		return schema.getMetadata().getNamespace() + "-" + schema.getMetadata().getName();
	}

	/** The password of a schema, which only its first owner chooses. */
	@KubernetesDependent
	static class Credentials extends KubernetesDependentResource<Secret, Schema> implements Creator<Secret, Schema> {

		@Override
		protected Secret desired(Schema schema, Context<Schema> context) {
			return new SecretBuilder().withNewMetadata()
				.withName("credentials-" + schema.getMetadata().getName())
				.withNamespace(schema.getMetadata().getNamespace())
				.endMetadata()
				.addToStringData("password", UUID.randomUUID().toString())
				.build();
		}

	}

	/** The schema itself, which is looked at now and then. */
	static class InDatabase extends PerResourcePollingDependentResource<Database.Row, Schema, String>
			implements Creator<Database.Row, Schema>, Updater<Database.Row, Schema>, Deleter<Schema> {

		private final Database.Connection connection = new Database.Connection(database);

		InDatabase() {
			super(Database.Row.class, Duration.ofSeconds(1), Database.Row::name);
		}

		@Override
		public Set<Database.Row> fetchResources(Schema schema) {
			return this.connection.find(nameOf(schema)).map(Set::of).orElse(Set.of());
		}

		@Override
		protected Database.Row desired(Schema schema, Context<Schema> context) {
			String password = context.getSecondaryResource(Secret.class)
				.map((secret) -> secret.getData().get("password"))
				.map((encoded) -> new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8))
				.orElseThrow();
			return new Database.Row(nameOf(schema), schema.getSpec().encoding, password);
		}

		@Override
		public Database.Row create(Database.Row desired, Schema schema, Context<Schema> context) {
			this.connection.create(desired);
			return desired;
		}

		@Override
		public Database.Row update(Database.Row actual, Database.Row desired, Schema schema, Context<Schema> context) {
			this.connection.update(desired);
			return desired;
		}

		@Override
		public Matcher.Result<Database.Row> match(Database.Row actual, Schema schema, Context<Schema> context) {
			Database.Row desired = desired(schema, context);
			return Matcher.Result.computed(desired.equals(actual), desired);
		}

		@Override
		public void delete(Schema schema, Context<Schema> context) {
			this.connection.drop(nameOf(schema));
		}

	}

}
