package dev.sharding.internal.kubernetes.rest;

import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sharding.internal.kubernetes.rest.http.TrafficLog;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpLoggingInterceptor;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a client logs of requests, at any level.
 */
@ControlPlaneTest
class TrafficLogIT {

	@Test
	void aThrottledClientLogsNoTraffic(KubernetesClient plain, @TestNamespace String namespace) {
		Logger logger = (Logger) LoggerFactory.getLogger(HttpLoggingInterceptor.class);
		Level before = logger.getLevel();
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		// Read while others write.
		logged.list = new CopyOnWriteArrayList<>();
		logged.start();
		logger.addAppender(logged);
		logger.setLevel(Level.TRACE);
		try (KubernetesClient client = ThrottledClient
			.of(new KubernetesClientBuilder().withConfig(plain.getConfiguration())
				.withHttpClientBuilderConsumer(TrafficLog::remove)
				.build(), (request) -> null)) {
			client
				.resource(new SecretBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withName("s")
					.endMetadata()
					.addToStringData("key", "hidden")
					.build())
				.create();
			client.secrets().inNamespace(namespace).withName("s").get();
		}
		finally {
			logger.setLevel(before);
			logger.detachAppender(logged);
		}
		assertThat(logged.list).isEmpty();
	}

}
