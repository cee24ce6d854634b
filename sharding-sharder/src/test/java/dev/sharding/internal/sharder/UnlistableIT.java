package dev.sharding.internal.sharder;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.ControlledResource;
import dev.sharding.internal.sharder.ring.ControllerRingSpec.MainResource;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a lost shard has made cannot be listed for longer than a short outage: etcd is
 * away, or lists expire again and again. A main object does not go ahead of what it
 * controls.
 */
@ControlPlaneTest
class UnlistableIT {

	private static final int SHORT = 2;

	/* Within eight seconds the sharder once took what failed so often for nothing. */
	private static final Duration OUTAGE = Duration.ofSeconds(15);

	private final World world;

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private volatile @Nullable Answer answer;

	UnlistableIT(ControlPlane controlPlane, KubernetesClient client, @TestNamespace String namespace) {
		this.world = new World(client, namespace, "unlistable");
		this.proxy = AnswerProxy.before(controlPlane.admin(), this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
	}

	@AfterEach
	void close() {
		this.world.close();
		this.client.close();
		this.proxy.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 410, 500, 504 })
	void noMainObjectGoesAhead(int status) {
		this.world.withRing((spec) -> new ControllerRingSpec(
				List.of(new MainResource("", "secrets", List.of(new ControlledResource("", "configmaps")))), null));
		Secret owner = this.world.secret("owner", this.world.assignedTo("shard-gone"));
		this.world.configMap("made", owner, this.world.assignedTo("shard-gone"));
		this.answer = new Answer(status, Map.of(), "{}");
		this.world.run(new Sharder(this.client, World.AT_ONCE, Surroundings.usual().withUnseen(Duration.ofSeconds(1)),
				this.world.metrics, InstantSource.system(), System::nanoTime, RequestGuard.NONE,
				HandOverOrder.CONTROLLED_OBJECTS_FIRST));
		this.world.lasting("shard-a", SHORT);
		World.await()
			.untilAsserted(() -> assertThat(this.proxy.requests()).filteredOn(UnlistableIT::isList).isNotEmpty());
		World.await().during(OUTAGE).untilAsserted(() -> {
			assertThat(this.world.secretShard("owner")).isEqualTo("shard-gone");
			assertThat(this.world.configMapShard("made")).isEqualTo("shard-gone");
		});
		this.answer = null;
		World.await().untilAsserted(() -> {
			assertThat(this.world.secretShard("owner")).isEqualTo("shard-a");
			assertThat(this.world.configMapShard("made")).isEqualTo("shard-a");
		});
	}

	private @Nullable Answer answer(Request request) {
		return isList(request) ? this.answer : null;
	}

	private static boolean isList(Request request) {
		return request.method().equals("GET") && request.path().endsWith("/configmaps")
				&& !request.query().contains("watch=");
	}

}
