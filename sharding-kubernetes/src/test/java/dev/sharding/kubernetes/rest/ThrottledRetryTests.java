package dev.sharding.kubernetes.rest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.WebSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ThrottledRetryTests {

	private final List<String> controllers = new CopyOnWriteArrayList<>();

	private final List<String> threads = new CopyOnWriteArrayList<>();

	private HttpServer server;

	private KubernetesClient client;

	@BeforeEach
	void connect() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", (exchange) -> {
			exchange.sendResponseHeaders(503, -1);
			exchange.close();
		});
		this.server.start();
		Config config = new ConfigBuilder(Config.empty())
			.withMasterUrl("http://127.0.0.1:" + this.server.getAddress().getPort())
			.withRequestRetryBackoffLimit(2)
			.withRequestRetryBackoffInterval(1)
			.build();
		this.client = ThrottledClient.of(new KubernetesClientBuilder().withConfig(config).build(), (request) -> {
			this.controllers.add(String.valueOf(MDC.get("controller")));
			this.threads.add(Thread.currentThread().getName());
			return null;
		});
	}

	@AfterEach
	void disconnect() {
		this.client.close();
		this.server.stop(0);
	}

	@Test
	void eachTryIsThatOfTheControllerThatMadeTheCall() {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			assertThatThrownBy(() -> this.client.pods().inNamespace("a").withName("b").get())
				.isInstanceOf(KubernetesClientException.class);
		}
		assertThat(this.controllers).containsExactly("greedy", "greedy", "greedy");
		assertThat(this.threads.get(1)).isNotEqualTo(this.threads.get(0));
		this.controllers.clear();
		assertThatThrownBy(() -> this.client.pods().inNamespace("a").withName("b").get())
			.isInstanceOf(KubernetesClientException.class);
		assertThat(this.controllers).containsExactly("null", "null", "null");
	}

	@Test
	void eachTryOfAnUpgradeIsThatOfTheControllerThatAskedForIt() {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			assertThat(this.client.getHttpClient()
				.newWebSocketBuilder()
				.uri(URI.create(this.client.getMasterUrl() + "api/v1/pods?watch=true"))
				.buildAsync(new WebSocket.Listener() {
				})).failsWithin(30, TimeUnit.SECONDS);
		}
		assertThat(this.controllers).containsExactly("greedy", "greedy", "greedy");
	}

}
