package dev.sharding.internal.kubernetes.rest;

import java.lang.reflect.Proxy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A client that cannot be asked right before it writes is used all the same, and the log
 * says once what that means.
 */
class LastLookHttpClientTests {

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void leave() {
		logger().detachAppender(this.log);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(ApiRequests.class);
	}

	@Test
	void warnsOnceOfAClientThatIsNoneOfVertx() {
		HttpClient other = (HttpClient) Proxy.newProxyInstance(HttpClient.class.getClassLoader(),
				new Class<?>[] { HttpClient.class }, (proxy, method, arguments) -> null);
		assertThat(LastLookHttpClient.over(other)).isSameAs(other);
		assertThat(LastLookHttpClient.over(other)).isSameAs(other);
		assertThat(this.log.list).singleElement().satisfies((event) -> {
			assertThat(event.getLevel()).isEqualTo(Level.WARN);
			assertThat(event.getFormattedMessage()).contains("after its claim has ended", other.getClass().getName());
		});
	}

	@Test
	void knowsTheClientOfVertx() {
		try (KubernetesClient client = new KubernetesClientBuilder()
			.withConfig(new ConfigBuilder().withMasterUrl("http://127.0.0.1:1").build())
			.build()) {
			assertThat(LastLookHttpClient.over(client.getHttpClient().newBuilder().build()))
				.isInstanceOf(LastLookHttpClient.class);
		}
		assertThat(this.log.list).isEmpty();
	}

}
