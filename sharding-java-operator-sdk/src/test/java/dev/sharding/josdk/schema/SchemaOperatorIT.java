package dev.sharding.josdk.schema;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.sharding.test.spring.ShardingTest;
import dev.sharding.test.spring.TestRing;
import dev.sharding.test.spring.TestShard;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.Operator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator in the shape of a sample of the SDK: it keeps schemas in a database, which
 * is no Kubernetes resource, with a Secret for each, which has no owner and is seen by
 * every shard. It runs as it is, alone and as shards.
 */
@ShardingTest(main = Schema.class, controlled = Secret.class, crds = "/operators/schema.yaml",
		roles = "/operators/schema-roles.yaml", classes = SchemaOperatorIT.Application.class)
class SchemaOperatorIT {

	private static final int OBJECTS = 24;

	private static Database database;

	private final TestRing ring;

	SchemaOperatorIT(TestRing ring) {
		this.ring = ring;
	}

	@BeforeAll
	static void open() throws IOException {
		database = new Database();
		SchemaReconciler.database = database.uri();
	}

	@AfterAll
	static void close() {
		database.close();
	}

	@Test
	void runsAlone(KubernetesClient client) {
		String namespace = this.ring.name() + "-alone";
		client.resource(new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build()).create();
		Operator operator = new Operator(
				(configuration) -> configuration.withKubernetesClient(client).withCloseClientOnStop(false));
		operator.register(new SchemaReconciler(), (changed) -> changed.settingNamespace(namespace));
		operator.start();
		try {
			create(namespace, 1, "utf8");
			soon().untilAsserted(() -> assertIsThere(namespace, "utf8"));
			schemas(namespace).forEach((schema) -> client.resource(schema).delete());
			soon().until(() -> schemas(namespace).isEmpty());
			assertThat(connection().find(namespace + "-schema-0")).isEmpty();
		}
		finally {
			operator.stop();
		}
	}

	@Test
	void runsAsShards() {
		TestShard first = this.ring.shard();
		String namespace = this.ring.name();
		soon().untilAsserted(() -> assertThat(first).isRunning());
		create(namespace, OBJECTS, "utf8");
		soon().untilAsserted(() -> assertAllAreThere("utf8"));
		Map<String, String> passwords = passwords();

		// Objects move to a second shard, and half of them are changed on their way.
		try (TestShard second = this.ring.startShard("shard-2")) {
			change("latin1");
			soon().untilAsserted(() -> assertThat(second).isRunning());
			soon().until(() -> schemas(namespace).stream().map(this::owner).anyMatch("shard-2"::equals));
			soon().untilAsserted(() -> assertThat(this.ring).isSettled());
			soon().untilAsserted(() -> assertAllAreThere("latin1"));
			first.loseLease();
			change("utf16");
			soon().untilAsserted(() -> assertThat(first).isRunning());
			soon().untilAsserted(() -> assertAllAreThere("utf16"));
		}
		soon().untilAsserted(() -> assertAllAreThere("utf16"));

		// Nobody has made what another had made already.
		assertThat(passwords()).isEqualTo(passwords);
		assertThat(database.refused).isEmpty();
		List<Schema> all = schemas(namespace);
		all.forEach((schema) -> this.ring.client().resource(schema).delete());
		soon().until(() -> schemas(namespace).isEmpty());
		all.forEach(
				(schema) -> assertThat(connection().find(namespace + "-" + schema.getMetadata().getName())).isEmpty());
	}

	private void assertAllAreThere(String encoding) {
		assertThat(schemas(this.ring.name())).hasSize(OBJECTS);
		assertIsThere(this.ring.name(), encoding);
	}

	private void assertIsThere(String namespace, String encoding) {
		assertThat(schemas(namespace)).isNotEmpty().allSatisfy((schema) -> {
			String name = namespace + "-" + schema.getMetadata().getName();
			Secret credentials = credentials(schema);
			assertThat(credentials).isNotNull();
			assertThat(connection().find(name)).hasValue(new Database.Row(name, encoding, password(credentials)));
			assertThat(schema.getStatus()).isNotNull();
			assertThat(schema.getStatus().url).isEqualTo("db:" + name + "?encoding=" + encoding);
		});
	}

	private Map<String, String> passwords() {
		return schemas(this.ring.name()).stream()
			.collect(Collectors.toMap((schema) -> schema.getMetadata().getName(),
					(schema) -> password(credentials(schema))));
	}

	private static String password(Secret credentials) {
		return new String(Base64.getDecoder().decode(credentials.getData().get("password")), StandardCharsets.UTF_8);
	}

	private static Database.Connection connection() {
		return new Database.Connection(database.uri());
	}

	private void create(String namespace, int count, String encoding) {
		for (int i = 0; i < count; i++) {
			Schema schema = new Schema();
			schema.setMetadata(new ObjectMetaBuilder().withNamespace(namespace).withName("schema-" + i).build());
			schema.setSpec(new Schema.Spec());
			schema.getSpec().encoding = encoding;
			this.ring.client().resource(schema).create();
		}
	}

	private void change(String encoding) {
		for (Schema schema : schemas(this.ring.name())) {
			this.ring.client()
				.resource(schema)
				.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"encoding\":\"" + encoding + "\"}}");
		}
	}

	private List<Schema> schemas(String namespace) {
		return this.ring.client().resources(Schema.class).inNamespace(namespace).list().getItems();
	}

	private Secret credentials(Schema schema) {
		return this.ring.client()
			.secrets()
			.inNamespace(schema.getMetadata().getNamespace())
			.withName("credentials-" + schema.getMetadata().getName())
			.get();
	}

	private String owner(HasMetadata object) {
		return this.ring.ownerOf(object).orElse("nobody");
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(100));
	}

	/** The application; of sharding it knows nothing. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Application {

		@Bean
		SchemaReconciler schemaReconciler() {
			return new SchemaReconciler();
		}

	}

}
