package dev.sharding.kubernetes.cache;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.junit.jupiter.api.Test;

import dev.sharding.kubernetes.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReadSafeguardTests {

	private static final List<ResourceType<?>> TYPES = List.of(ResourceType.of(ConfigMap.class),
			ResourceType.of(Secret.class));

	@Test
	void refusesWhatWasAskedForWithoutAnOrderOfVersions() {
		assertThatExceptionOfType(IncomparableVersionsException.class)
			.isThrownBy(() -> check(ReadOptions.DEFAULTS.withStrategy("configmaps", ReadStrategy.BARRIER), "x-7"))
			.withMessageContaining("configmaps")
			.satisfies((ex) -> assertThat(ex.resource()).isEqualTo("configmaps"));
		assertThatExceptionOfType(IncomparableVersionsException.class)
			.isThrownBy(() -> check(ReadOptions.DEFAULTS.withEnabled(true), "x-7"));
	}

	@Test
	void goesOnWhereNobodyAsked() {
		for (ReadOptions options : List.of(ReadOptions.DEFAULTS, ReadOptions.DEFAULTS.withEnabled(false),
				ReadOptions.DEFAULTS.withStrategy("configmaps", ReadStrategy.LIVE))) {
			assertThatCode(() -> check(options, "x-7")).doesNotThrowAnyException();
		}
	}

	@Test
	void goesOnWhereNothingIsKnown() {
		assertThatCode(() -> new ReadSafeguard(ReadOptions.DEFAULTS.withEnabled(true),
				() -> CompletableFuture.failedFuture(new IllegalStateException("down")),
				(type) -> CompletableFuture.failedFuture(new IllegalStateException("down")))
			.check(TYPES)).doesNotThrowAnyException();
	}

	private static void check(ReadOptions options, String version) {
		new ReadSafeguard(options, () -> CompletableFuture.completedFuture(Map.of("major", "1", "minor", "36")),
				(type) -> CompletableFuture.completedFuture(version))
			.check(TYPES);
	}

}
