package dev.sharding.autoconfigure;

import java.io.IOException;
import java.util.Locale;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import dev.sharding.client.KubernetesClientCustomizer;
import dev.sharding.client.KubernetesConnectionDetails;
import dev.sharding.internal.autoconfigure.ring.LeaseConnection;
import dev.sharding.internal.kubernetes.rest.http.ClientJson;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many object mappers the clients have: each learns the classes of a Lease anew, and
 * keeps what it has learnt.
 */
class LeaseJsonTests {

	private static final Config UNREACHABLE = new ConfigBuilder().withAutoConfigure(false)
		.withMasterUrl("https://127.0.0.1:1")
		.build();

	private final ApplicationContextRunner shard = new ApplicationContextRunner().withConfiguration(Apps.everything())
		.withUserConfiguration(Apps.SecretController.class,
				LeaderElectedControllersAutoConfigurationTests.ServiceController.class)
		.withPropertyValues("sharding.ring=ring", "sharding.shard-name=shard-1", "sharding.lease.namespace=default");

	private final ApplicationContextRunner connected = this.shard.withBean(KubernetesConnectionDetails.class,
			() -> () -> UNREACHABLE);

	@Test
	void allClientsHaveTheOneThatWasPrepared() {
		KubernetesSerialization prepared = ClientJson.prepare();
		this.connected.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(KubernetesClient.class).getKubernetesSerialization()).isSameAs(prepared);
			assertThat(jsonOfLease(context)).isSameAs(besideClient(context));
			assertThat(context.getBean(LeaderElectedControllersAutoConfiguration.LeaderElectedConnection.class)
				.connection()
				.client()
				.getKubernetesSerialization()).isSameAs(besideClient(context));
		});
	}

	@Test
	void aSecondContextHasItsOwn() {
		this.connected.run((first) -> this.connected.run((second) -> {
			assertThat(jsonOfLease(second)).isNotSameAs(jsonOfLease(first));
			assertThat(jsonOfLease(second)).isSameAs(besideClient(second));
		}));
	}

	@Test
	void aLeaseIsWrittenInOurWayWhateverACustomizerSets() {
		this.connected
			.withBean(KubernetesClientCustomizer.class, () -> (client) -> client.withKubernetesSerialization(loud()))
			.run((context) -> assertOnlyTheirClientIsLoud(context));
	}

	@Test
	void aLeaseIsWrittenInOurWayWhateverTheClientOfTheUserDoes() {
		this.shard.withBean(KubernetesClient.class,
				() -> new KubernetesClientBuilder().withConfig(UNREACHABLE).withKubernetesSerialization(loud()).build())
			.run((context) -> assertOnlyTheirClientIsLoud(context));
	}

	private static void assertOnlyTheirClientIsLoud(ApplicationContext context) {
		Lease lease = new LeaseBuilder().withNewMetadata().withName("quiet").endMetadata().build();
		assertThat(context.getBean(KubernetesClient.class).getKubernetesSerialization().asJson(lease))
			.contains("QUIET");
		assertThat(jsonOfLease(context).asJson(lease)).contains("\"name\":\"quiet\"");
	}

	private static KubernetesSerialization jsonOfLease(ApplicationContext context) {
		return context.getBean(LeaseConnection.class).client().getKubernetesSerialization();
	}

	private static KubernetesSerialization besideClient(ApplicationContext context) {
		return ClientJson.beside(context.getBean(KubernetesClient.class));
	}

	/* One with a module of the user. */
	private static KubernetesSerialization loud() {
		ObjectMapper mapper = new ObjectMapper();
		mapper.registerModule(new SimpleModule().addSerializer(new StdScalarSerializer<>(String.class) {
			@Override
			public void serialize(String value, JsonGenerator generator, SerializerProvider provider)
					throws IOException {
				generator.writeString(value.toUpperCase(Locale.ROOT));
			}
		}));
		return new KubernetesSerialization(mapper, false);
	}

}
