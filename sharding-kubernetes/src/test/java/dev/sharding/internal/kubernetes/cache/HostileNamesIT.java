package dev.sharding.internal.kubernetes.cache;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.sharding.cache.DeleteOptions;
import dev.sharding.cache.Freshness;
import dev.sharding.cache.ListOptions;
import dev.sharding.cache.NamespaceNotCoveredException;
import dev.sharding.cache.ResourceCache;
import dev.sharding.client.ApiException;
import dev.sharding.client.RequestThrottle;
import dev.sharding.internal.kubernetes.cache.overlay.CacheScope;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.ThrottledClient;
import dev.sharding.resource.ImpossibleNameException;
import dev.sharding.resource.ObjectKey;
import dev.sharding.test.ControlPlaneTest;
import dev.sharding.test.TestNamespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Names, keys and bodies that want to be something else, on a real API server and behind
 * a throttle that has each request wait: what is allowed works like any other, what is
 * not fails with a typed error, and nobody else's object changes.
 */
@ControlPlaneTest
class HostileNamesIT {

	private static final DeleteOptions PLAIN = DeleteOptions.defaults();

	private final KubernetesClient plain;

	private final String namespace;

	private final KubernetesClient limited;

	private final InformerCaches caches;

	private ResourceCache<Role> roles;

	private ResourceCache<ConfigMap> maps;

	HostileNamesIT(KubernetesClient plain, @TestNamespace String namespace) {
		this.plain = plain;
		this.namespace = namespace;
		this.limited = ThrottledClient.of(new KubernetesClientBuilder().withConfig(plain.getConfiguration()).build(),
				(request) -> new Wait());
		this.caches = new InformerCaches(this.limited, new ApiRequests(this.limited),
				new CacheScope(Set.of(namespace), "", "", "cache-test", false),
				new ObjectCopier(this.limited.getKubernetesSerialization()), InstantSource.system(), System::nanoTime);
	}

	@BeforeEach
	void start() {
		this.roles = this.caches.of(Role.class);
		this.maps = this.caches.of(ConfigMap.class);
		this.caches.start();
		assertThat(this.caches.synced()).succeedsWithin(Duration.ofSeconds(60));
	}

	@AfterEach
	void close() {
		this.caches.close();
		this.limited.close();
		this.plain.configMaps().inNamespace(this.namespace).delete();
		this.plain.rbac().roles().inNamespace(this.namespace).delete();
	}

	/** What a Role may be called is up to its author. */
	@ParameterizedTest
	@ValueSource(strings = { "x?y", "x?watch=1", "a b", "a#b", "a&b=c", "a,b=c\\d", "system:node@x", "ü€😀", "[::1]",
			"{a}|^`<>\"'", "a+b", "a;b", "...", "~", "-", "UPPER", "a\tb", "a\nHost: b", "null", "*", "$(x)", "status",
			"namespaces" })
	void anAllowedNameIsLikeAnyOther(String name) {
		Role bystander = this.roles.create(role("x", "bystander"));
		Role made = this.roles.create(role(name, "1"));
		assertThat(made.getMetadata().getName()).isEqualTo(name);
		assertSeen(made);
		Role updated = this.roles.update(labelled(made, "2"));
		assertSeen(updated);
		Role patched = this.roles.patch(updated, (role) -> labelled(role, "3"));
		assertSeen(patched);
		assertSeen(this.roles.apply(role(name, "4")));
		// Asks the API server about this one object, by a selector of fields.
		this.roles.handInDeleted(patched);
		assertThat(this.roles.get(ObjectKey.of(made), Freshness.READ_YOUR_WRITES)).isPresent();
		assertThat(this.roles.get(ObjectKey.of(made), Freshness.CONSISTENT)).isPresent();
		this.roles.delete(made);
		assertThat(this.roles.get(ObjectKey.of(made), Freshness.READ_YOUR_WRITES)).isEmpty();
		assertThat(this.roles.get(ObjectKey.of(made), Freshness.CONSISTENT)).isEmpty();
		assertThat(this.roles.list()).containsExactly(bystander);
		assertThat(this.plain.rbac().roles().inNamespace(this.namespace).list().getItems()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ".", "..", "a/b", "x/../y", "../configmaps/x", "svc/proxy/x", "x/", "/x", "%",
			"x%2Fstatus", "%2e%2e", "x/status" })
	void anImpossibleNameIsRefusedByNameAndChangesNothing(String name) {
		ConfigMap bystander = this.maps.create(map("x"));
		List<ThrowingCallable> writes = List.of(() -> this.maps.update(versioned(name)),
				() -> this.maps.patch(versioned(name), (map) -> new ConfigMapBuilder(map).addToData("a", "b").build()),
				() -> this.maps.apply(map(name)), () -> this.maps.delete(map(name)),
				() -> this.maps.delete(map(name), PLAIN.gracePeriod(Duration.ZERO)),
				() -> this.maps.updateStatus(versioned(name)), () -> this.maps.applyStatus(map(name)),
				() -> this.maps.get(new ObjectKey(this.namespace, name), Freshness.CONSISTENT));
		for (ThrowingCallable write : writes) {
			assertThatExceptionOfType(ImpossibleNameException.class).isThrownBy(write)
				.withMessageContaining("'" + this.namespace + "/" + name + "'");
		}
		if (!name.isEmpty()) {
			assertRefused(() -> this.maps.create(map(name)));
		}
		assertThat(this.maps.get(this.namespace, name)).isEmpty();
		assertThat(this.maps.list()).containsExactly(bystander);
		assertThat(this.plain.configMaps().inNamespace(this.namespace).withName("x").get()).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { ".", "..", "a/b", "default/configmaps", "%2e" })
	void anImpossibleNamespaceIsRefusedByName(String hostile) {
		ConfigMap map = new ConfigMapBuilder(map("x")).editMetadata().withNamespace(hostile).endMetadata().build();
		for (ThrowingCallable write : List.<ThrowingCallable>of(() -> this.maps.create(map), () -> this.maps.apply(map),
				() -> this.maps.delete(map))) {
			assertThatExceptionOfType(ImpossibleNameException.class).isThrownBy(write)
				.withMessageContaining("'" + hostile + "/x'")
				.withMessageContaining("its namespace");
		}
	}

	@Test
	void aHostileBodyIsRefusedByTheApiServerAndLeavesTheCacheAsItIs() {
		ConfigMap made = this.maps.create(map("x"));
		List<ThrowingCallable> writes = List.of(() -> this.maps.create(map("x".repeat(5_000))),
				() -> this.maps.create(map("X")), () -> this.maps.create(map("a?b")),
				() -> this.maps.apply(map("y".repeat(300))), () -> this.maps.update(with(made, Map.of("a key", "v"))),
				() -> this.maps.update(with(made, Map.of("big", "b".repeat(2_000_000)))),
				() -> this.maps.patch(made, (map) -> with(map, Map.of("../../etc", "v"))),
				() -> this.maps.patch(made, (map) -> renamed(map, "y")),
				() -> this.maps.update(labelled(made, Map.of("a,b", "c"))),
				() -> this.maps.update(labelled(made, Map.of("a", "not a value"))));
		for (ThrowingCallable write : writes) {
			assertRefused(write);
			assertThat(this.maps.list()).containsExactly(made);
		}
		// The API server calls this an error of its own, so readers ask it what it did.
		for (String version : List.of("not a version", "1\",\"x\":\"", "-1", "9".repeat(40))) {
			ConfigMap forged = new ConfigMapBuilder(made).editMetadata()
				.withResourceVersion(version)
				.endMetadata()
				.build();
			for (ThrowingCallable write : List.<ThrowingCallable>of(() -> this.maps.update(forged),
					() -> this.maps.delete(forged, PLAIN.onlyIfUnchanged()))) {
				assertThatExceptionOfType(ApiException.class).isThrownBy(write)
					.satisfies(
							(ex) -> assertThat(ex.status()).as(version + ": " + ex.getMessage()).isBetween(400, 599));
				assertThat(this.maps.list()).containsExactly(made);
				assertThat(this.maps.get(this.namespace, "x")).contains(made);
			}
		}
		// To the API server these two stand for any version.
		for (String version : List.of("", "0")) {
			ConfigMap unlocked = new ConfigMapBuilder(map("absent")).editMetadata()
				.withResourceVersion(version)
				.endMetadata()
				.build();
			assertThatIllegalArgumentException().isThrownBy(() -> this.maps.update(unlocked))
				.withMessageContaining("it has no resource version and is not in the cache");
		}
		ConfigMap odd = this.maps.update(with(made, Map.of("k", "\u0000\u2028\"}],\\ü😀</script>")));
		assertThat(this.maps.get(this.namespace, "x")).contains(odd);
		assertThat(this.maps.get(ObjectKey.of(odd), Freshness.CONSISTENT))
			.hasValueSatisfying((read) -> assertThat(read.getData()).isEqualTo(odd.getData()));
	}

	@Test
	void aHostileSelectorSelectsNothingElse() {
		this.maps.create(map("x"));
		for (String value : List.of("a,b", "!a", "a in (b)", "", "=", "a b", "test,other!=x")) {
			assertThat(this.maps.list(ListOptions.all().withLabels(Map.of("kind", value)))).isEmpty();
			assertThat(
					this.maps.list(ListOptions.all().freshness(Freshness.CONSISTENT).withLabels(Map.of("kind", value))))
				.isEmpty();
			assertThat(this.maps.deleteCollection(ListOptions.all().withLabels(Map.of(value, "test")), PLAIN)).isZero();
			assertThatExceptionOfType(NamespaceNotCoveredException.class)
				.isThrownBy(() -> this.maps.deleteCollection(ListOptions.all().inNamespace(value), PLAIN));
		}
		assertThat(this.maps.list()).hasSize(1);
	}

	private void assertSeen(Role role) {
		assertThat(this.roles.get(ObjectKey.of(role), Freshness.READ_YOUR_WRITES)).contains(role);
		assertThat(this.roles.list(ListOptions.all().withLabels(role.getMetadata().getLabels()))).containsExactly(role);
	}

	/** The API server said no, or it could not even be asked: the outcome is known. */
	private static void assertRefused(ThrowingCallable write) {
		Throwable refusal = catchThrowable(write);
		if (refusal instanceof ApiException answer) {
			assertThat(answer.status()).as(answer.getMessage()).isBetween(400, 499);
		}
		else {
			assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
		}
	}

	private static Role labelled(Role role, String n) {
		return new RoleBuilder(role).editMetadata().addToLabels("n", n).endMetadata().build();
	}

	private static ConfigMap labelled(ConfigMap map, Map<String, String> labels) {
		return new ConfigMapBuilder(map).editMetadata().withLabels(labels).endMetadata().build();
	}

	private static ConfigMap with(ConfigMap map, Map<String, String> data) {
		return new ConfigMapBuilder(map).withData(data).build();
	}

	private static ConfigMap renamed(ConfigMap map, String name) {
		return new ConfigMapBuilder(map).editMetadata().withName(name).endMetadata().build();
	}

	private ConfigMap versioned(String name) {
		return new ConfigMapBuilder(map(name)).editMetadata().withResourceVersion("1").endMetadata().build();
	}

	private ConfigMap map(String name) {
		return new ConfigMapBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels("kind", "test")
			.endMetadata()
			.build();
	}

	private Role role(String name, String n) {
		return new RoleBuilder().withNewMetadata()
			.withNamespace(this.namespace)
			.withName(name)
			.addToLabels("n", n)
			.endMetadata()
			.build();
	}

	/** Each request waits a little, as under a limit. */
	private static final class Wait implements RequestThrottle.Passage {

		private final CompletableFuture<Void> admitted = new CompletableFuture<Void>().completeOnTimeout(null, 1,
				TimeUnit.MILLISECONDS);

		@Override
		public CompletableFuture<Void> admitted() {
			return this.admitted;
		}

		@Override
		public void received(ByteBuffer chunk) {
			// Nothing is counted.
		}

		@Override
		public void ended(@Nullable Throwable failure) {
			// Nothing is counted.
		}

	}

}
