package dev.sharding.kubernetes.cache;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import dev.sharding.kubernetes.resource.ObjectKey;
import dev.sharding.kubernetes.resource.ResourceType;
import dev.sharding.kubernetes.rest.ApiRequests;
import dev.sharding.kubernetes.rest.ThrottledClient;

import static org.assertj.core.api.Assertions.assertThat;

/** On whose behalf the requests of one read are. */
class CallerOfReadsTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private final List<String> controllers = new CopyOnWriteArrayList<>();

	private final List<String> threads = new CopyOnWriteArrayList<>();

	@Test
	void eachTryIsThatOfTheControllerThatReads() {
		try (HttpAnswers server = new HttpAnswers(HttpAnswers.refusal(503, 0), HttpAnswers.refusal(429, 0),
				HttpAnswers.ok("""
						{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"a"}}"""))) {
			assertThat(greedily(() -> reader(server).get(new ObjectKey("ns", "a"), Duration.ofSeconds(30))))
				.succeedsWithin(1, TimeUnit.MINUTES);
			assertThat(this.controllers).containsExactly("greedy", "greedy", "greedy");
			assertThat(this.threads.get(1)).isNotEqualTo(this.threads.get(0));
		}
	}

	@Test
	void eachTryOfAPageIsThatOfTheControllerThatReads() {
		try (HttpAnswers server = new HttpAnswers(HttpAnswers.refusal(503, 0), page(""))) {
			ResourceReader<ConfigMap> reader = reader(server);
			assertThat(greedily(() -> reader.page(reader.listing("ns", null), Duration.ofSeconds(30))))
				.succeedsWithin(1, TimeUnit.MINUTES);
			assertThat(this.controllers).containsExactly("greedy", "greedy");
		}
	}

	private static <R> CompletableFuture<R> greedily(Supplier<CompletableFuture<R>> read) {
		try (MDC.MDCCloseable ignored = MDC.putCloseable("controller", "greedy")) {
			return read.get();
		}
	}

	private static HttpAnswers.Answer page(String next) {
		return HttpAnswers
			.ok("{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"%s\"},\"items\":[]}"
				.formatted(next));
	}

	private ResourceReader<ConfigMap> reader(HttpAnswers server) {
		KubernetesClient client = ThrottledClient.of(server.client, (request) -> {
			this.controllers.add(String.valueOf(MDC.get("controller")));
			this.threads.add(Thread.currentThread().getName());
			return null;
		});
		return new ResourceReader<>(TYPE, new ApiRequests(client), client.getKubernetesSerialization());
	}

}
