package dev.sharding.internal.kubernetes.rest;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.junit.jupiter.api.Test;

import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Whatever is written through the methods of fabric8 asks the guard.
 */
@ControlPlaneTest
class GuardedClientIT {

	private final List<String> admitted = new CopyOnWriteArrayList<>();

	private final AtomicInteger asked = new AtomicInteger();

	/** At which question from now on the guard refuses. */
	private final AtomicInteger until = new AtomicInteger(Integer.MAX_VALUE);

	private final RequestGuard guard = (request) -> {
		if (request.method().equals("GET")) {
			return null;
		}
		this.admitted.add(request.method());
		refuse();
		return () -> {
			this.asked.incrementAndGet();
			refuse();
		};
	};

	private final KubernetesClient plain;

	private final KubernetesClient client;

	private final String namespace;

	GuardedClientIT(KubernetesClient client, @TestNamespace String namespace) {
		this.plain = client;
		this.client = GuardedClient.of(client, this.guard, UnaryOperator.identity());
		this.namespace = namespace;
	}

	@Test
	void sendsWhatIsAdmitted() {
		ConfigMap made = this.client.resource(configMap("a", "1")).create();
		this.client.resource(new ConfigMapBuilder(made).withData(Map.of("key", "2")).build()).update();
		this.client.configMaps()
			.inNamespace(this.namespace)
			.withName("a")
			.edit((current) -> new ConfigMapBuilder(current).withData(Map.of("key", "3")).build());
		this.client.resource(made).patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"other\":\"äß€\"}}");
		this.client.resource(configMap("b", "1")).fieldManager("test").serverSideApply();
		assertThat(this.plain.resource(made).get().getData()).containsEntry("key", "3").containsEntry("other", "äß€");
		assertThat(this.client.resource(configMap("b", "")).get().getData()).containsEntry("key", "1");
		this.client.resource(made).delete();
		assertThat(this.plain.resource(made).get()).isNull();
		assertThat(this.admitted).containsExactly("POST", "PUT", "PATCH", "PATCH", "PATCH", "DELETE");
		assertThat(this.asked).hasValue(6);
	}

	@Test
	void sendsNothingThatIsRefused() {
		this.until.set(0);
		assertRefused("refused");
		assertThat(this.asked).hasValue(0);
	}

	@Test
	void sendsNothingThatIsRefusedAtTheLastLook() {
		this.until.set(1);
		assertRefused("late");
		assertThat(this.asked).hasValue(1);
		ConfigMap there = this.plain.resource(configMap("there", "1")).create();
		this.until.set(1);
		assertThat(catchThrowable(() -> this.client.resource(there).delete())).isNotNull();
		assertThat(this.plain.resource(there).get()).isNotNull();
	}

	@Test
	void changesBodies() {
		KubernetesClient changing = GuardedClient.of(this.plain, this.guard,
				(request) -> request.body(request.body().replace("before", "after")));
		changing.resource(configMap("changed", "before")).create();
		assertThat(this.plain.resource(configMap("changed", "")).get().getData()).containsEntry("key", "after");
	}

	@Test
	void passesTheThrottleOfTheClientBelow() {
		AtomicInteger entered = new AtomicInteger();
		KubernetesClient throttled = ThrottledClient.of(this.plain, (request) -> {
			entered.incrementAndGet();
			return null;
		});
		KubernetesClient guarded = GuardedClient.of(throttled, this.guard, UnaryOperator.identity());
		guarded.resource(configMap("throttled", "1")).create();
		assertThat(entered).hasValue(1);
		assertThat(this.asked).hasValue(1);
		assertThat(ThrottledClient.isLimited(guarded)).isTrue();
		assertThat(ThrottledClient.isLimited(this.client)).isFalse();
	}

	private void assertRefused(String name) {
		Throwable thrown = catchThrowable(() -> this.client.resource(configMap(name, "1")).create());
		assertThat(thrown).isNotNull();
		assertThat((thrown instanceof NotSentException) ? thrown : thrown.getCause())
			.isInstanceOf(NotSentException.class)
			.hasMessage("closed");
		assertThat(this.plain.resource(configMap(name, "")).get()).isNull();
	}

	private void refuse() {
		if (this.until.getAndDecrement() <= 0) {
			throw new NotSentException("closed");
		}
	}

	private ConfigMap configMap(String name, String value) {
		return new ConfigMapBuilder().withNewMetadata()
			.withName(name)
			.withNamespace(this.namespace)
			.endMetadata()
			.addToData("key", value)
			.build();
	}

}
