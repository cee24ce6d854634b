package dev.sharding.internal.sharder.assignment.metadata;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.kubernetes.informer.store.MetadataWatch.Event;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneExtension;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a watch goes on, and when objects are listed anew.
 */
class MetadataFollowerIT {

	@RegisterExtension
	static final ControlPlaneExtension controlPlaneExtension = ControlPlaneExtension.own((builder) -> {
	});

	private static final String RING = "followed";

	private static final ShardedResource SECRETS = new ShardedResource(ResourceType.of(Secret.class).metadata(),
			ResourceRole.MAIN);

	private static final String FAILS = "fails";

	private final ControlPlane controlPlane;

	private final String namespace;

	/* What happens, in this order. */
	private final List<String> course = new CopyOnWriteArrayList<>();

	private final AtomicInteger refusals = new AtomicInteger();

	MetadataFollowerIT(ControlPlane controlPlane, @TestNamespace String namespace) {
		this.controlPlane = controlPlane;
		this.namespace = namespace;
	}

	@Test
	void listsAtOnceWhenItsVersionExpiredWhileTheApiServerFailed() {
		this.refusals.set(3);
		// It goes away once more before it has answered the list.
		follow(List.of(forgotten("expired"), FAILS), () -> {
			soon().untilAsserted(() -> assertThat(this.course).containsExactly("list", "fails", "pause 1", "fails",
					"pause 2", "fails", "pause 3", "works", "list", "fails", "pause 1", "list", "works"));
			create("later");
			soon().untilAsserted(() -> assertThat(this.course).endsWith("works", "later"));
		});
	}

	@Test
	void pausesBetweenListsThatDoNotHelp() {
		String forgotten = forgotten("expired-too");
		follow(Collections.nCopies(4, forgotten),
				() -> soon().untilAsserted(() -> assertThat(this.course).containsExactly("list", "works", "list",
						"works", "list", "works", "pause 2", "list", "works", "pause 3", "list", "works")));
	}

	/* The first lists give these versions, and later ones the present one. */
	private void follow(List<String> versions, Runnable body) {
		try (AnswerProxy proxy = AnswerProxy.before(this.controlPlane.admin(), this::answer);
				KubernetesClient client = new KubernetesClientBuilder().withConfig(proxy.config()).build();
				MetadataFollower follower = new MetadataFollower(new RingConnection(client, new ApiRequests(client),
						new AssignmentMetrics(new SimpleMeterRegistry(), RING), InstantSource.system(), () -> 0),
						new RingScope(RING, Map.of(SECRETS, List.of()), NamespaceFilter.excluding(List.of()), Set.of()),
						SECRETS, "of=" + this.namespace, new Following(new ConcurrentLinkedQueue<>(versions)),
						(failures) -> {
							this.course.add("pause " + failures);
							return Duration.ofMillis(1);
						})) {
			follower.start();
			body.run();
		}
	}

	private @Nullable Answer answer(Request request) {
		return (request.path().endsWith("/secrets") && this.refusals.getAndDecrement() > 0)
				? new Answer(503, Map.of(), "{}") : null;
	}

	private String forgotten(String name) {
		String version = create(name);
		create(name + "-later");
		this.controlPlane.forgetHistory();
		return version;
	}

	private String create(String name) {
		return this.controlPlane.client()
			.resource(new SecretBuilder().withNewMetadata()
				.withNamespace(this.namespace)
				.withName(name)
				.addToLabels("of", this.namespace)
				.endMetadata()
				.build())
			.create()
			.getMetadata()
			.getResourceVersion();
	}

	private String presentVersion() {
		return this.controlPlane.client()
			.secrets()
			.inNamespace(this.namespace)
			.list()
			.getMetadata()
			.getResourceVersion();
	}

	private static ConditionFactory soon() {
		return Awaitility.await().atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(20));
	}

	private final class Following implements MetadataFollower.Listener {

		private final Queue<String> versions;

		private Following(Queue<String> versions) {
			this.versions = versions;
		}

		@Override
		public CompletableFuture<String> list() {
			MetadataFollowerIT.this.course.add("list");
			String version = this.versions.poll();
			if (FAILS.equals(version)) {
				return CompletableFuture.failedFuture(new ApiException(0, "", null, "planned", null));
			}
			return CompletableFuture.completedFuture((version != null) ? version : presentVersion());
		}

		@Override
		public void told(Event event) {
			MetadataFollowerIT.this.course.add(event.object().name());
		}

		@Override
		public void works() {
			MetadataFollowerIT.this.course.add("works");
		}

		@Override
		public void fails(String reason, Duration since) {
			MetadataFollowerIT.this.course.add("fails");
		}

	}

}
