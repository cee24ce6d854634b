package dev.sharding.internal.kubernetes.cache.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.overlay.ScopeQuestions;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is asked about own writes in doubt is bounded, and waits in no queue.
 */
class ServerQuestionsTests {

	private final List<ApiRequest> sent = new CopyOnWriteArrayList<>();

	private final ServerSocket silent = silent();

	private final KubernetesClient client = ThrottledClient.of(new KubernetesClientBuilder()
		.withConfig(new ConfigBuilder().withMasterUrl("http://127.0.0.1:" + this.silent.getLocalPort()).build())
		.build(), (request) -> {
			this.sent.add(request);
			return null;
		});

	private final ServerQuestions<ConfigMap> questions = new ServerQuestions<>(ResourceType.of(ConfigMap.class), "ns",
			null, new ApiRequests(this.client)::send, this.client.getKubernetesSerialization());

	/* Who connects to it waits, for an answer that nobody gives. */
	private static ServerSocket silent() {
		try {
			return new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@AfterEach
	void close() throws IOException {
		this.client.close();
		this.silent.close();
	}

	@Test
	void saysHowLongItMayTakeAndOnlyAQuestionForOneObjectPassesEveryQueue() {
		this.questions.find(new ObjectKey("ns", "a"), Duration.ofMillis(1500)).cancel(true);
		this.questions.find(null, Duration.ofMillis(1500)).cancel(true);
		this.questions.list(Duration.ofMillis(1500)).cancel(true);
		assertThat(this.sent).hasSize(3).allSatisfy((request) -> {
			assertThat(request.query()).containsEntry("timeout", "1500ms");
			assertThat(request.timeout()).isEqualTo(Duration.ofMillis(1500));
		});
		assertThat(this.sent).extracting(ApiRequest::exempt).containsExactly(true, false, false);
	}

	@Test
	void theVersionOfTheMomentToo() {
		this.questions.version().cancel(true);
		assertThat(this.sent).singleElement().satisfies((request) -> {
			assertThat(request.query()).containsEntry("timeout", "30000ms");
			assertThat(request.exempt()).isTrue();
		});
	}

	@Test
	void isAskedNoMoreWhenNobodyWaits() {
		CompletableFuture<ScopeQuestions.Answer<ConfigMap>> answer = this.questions.find(null, Duration.ofSeconds(5));
		answer.cancel(true);
		assertThat(answer).isCancelled();
		assertThat(this.sent).as("not again, though nobody answers").hasSize(1);
	}

}
