package dev.sharding.autoconfigure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import dev.sharding.autoconfigure.ShardingProperties.OnStartupProblem;
import dev.sharding.kubernetes.reconcile.ControllerSpec;
import dev.sharding.kubernetes.reconcile.Result;
import dev.sharding.kubernetes.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class RingWatchTests {

	private static final String RING = """
			{"apiVersion":"sharding.timebertt.dev/v1alpha1","kind":"ControllerRing","metadata":{"name":"ring"},"spec":{\
			"resources":[{"group":"","resource":"secrets"}],\
			"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"%s"}}}}""";

	private static final ControllerSpec<?> CONTROLLER = ControllerSpec
		.of(ResourceType.of(Secret.class), (secret) -> Result.done())
		.build();

	@Test
	void keepsLookingAtARingWithOtherNamespaces(CapturedOutput output) throws IOException {
		AtomicInteger looks = new AtomicInteger();
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> answer(exchange, looks.incrementAndGet()));
		server.start();
		try (KubernetesClient client = client(server.getAddress().getPort()); RingWatch watch = watch(client)) {
			// Not as bad as to end the start.
			watch.begin(List.of(CONTROLLER));
			assertThat(watch.finding().kind()).isEqualTo(RingFinding.Kind.WIDER);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> watch.finding().kind() == RingFinding.Kind.MATCHES);
			assertThat(looks).hasValue(4);
			assertThat(output).containsOnlyOnce("may give this shard objects outside of 'sharding.namespaces'")
				.doesNotContain("gives no useful answer");
		}
		finally {
			server.stop(0);
		}
	}

	private static KubernetesClient client(int port) {
		return new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withAutoConfigure(false).withMasterUrl("http://127.0.0.1:" + port).build())
			.build();
	}

	private static RingWatch watch(KubernetesClient client) {
		Set<String> namespaces = Set.of("watched");
		return new RingWatch(new RingCheck(client, "ring", namespaces), null,
				ClusterCheck.ofShard(client, namespaces, "default"), OnStartupProblem.WAIT);
	}

	/* The second look fails, the third is like the first. */
	private static void answer(HttpExchange exchange, int look) throws IOException {
		byte[] ring = RING.formatted((look > 3) ? "watched" : "other").getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders((look == 2) ? 400 : 200, ring.length);
		exchange.getResponseBody().write(ring);
		exchange.close();
	}

}
