package dev.sharding.internal.kubernetes.cache;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.read.IncomparableVersionsException;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ReadSafeguardTests {

	private static final List<ResourceType<?>> TYPES = List.of(ResourceType.of(ConfigMap.class),
			ResourceType.of(Secret.class));

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
		return (Logger) LoggerFactory.getLogger(ReadSafeguard.class);
	}

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

	@Test
	void asksForAllResourcesAtOnce() {
		CompletableFuture<String> first = new CompletableFuture<>();
		assertThatExceptionOfType(IncomparableVersionsException.class)
			.isThrownBy(() -> new ReadSafeguard(ReadOptions.DEFAULTS.withEnabled(true),
					() -> CompletableFuture.failedFuture(new IllegalStateException("down")), (type) -> {
						if (type.equals(TYPES.get(0))) {
							return first;
						}
						first.complete("x-7");
						return CompletableFuture.completedFuture("7");
					})
				.check(TYPES));
	}

	/** The table of the documentation, row by row, for two resources. */
	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			36, -,     -,         -
			36, true,  -,         -
			30, -,     -,         'costs a list in etcd;configmaps, secrets'
			30, true,  -,         -
			30, false, -,         -
			30, -,     VALIDATED, 'costs a list in etcd;secrets'
			30, -,     BARRIER,   'costs a list in etcd;secrets'
			30, -,     LIVE,      'costs a list in etcd;secrets'
			30, false, VALIDATED, -
			-,  -,     -,         'Failed to learn the version;configmaps, secrets'
			-,  true,  -,         'Failed to learn the version;configmaps, secrets'
			-,  true,  LIVE,      'Failed to learn the version;secrets'
			-,  false, -,         -
			-,  -,     VALIDATED, 'Failed to learn the version;configmaps, secrets'
			-,  -,     LIVE,      'Failed to learn the version;secrets'
			""")
	void warnsOfWhatNobodyDecidedOrNobodyKnows(@Nullable String minor, @Nullable Boolean enabled,
			@Nullable ReadStrategy strategyOfConfigMaps, @Nullable String warning) {
		ReadOptions options = (enabled != null) ? ReadOptions.DEFAULTS.withEnabled(enabled) : ReadOptions.DEFAULTS;
		options = (strategyOfConfigMaps != null) ? options.withStrategy("configmaps", strategyOfConfigMaps) : options;
		check(options, minor, CompletableFuture.completedFuture("7"));
		if (warning == null) {
			assertThat(this.log.list).isEmpty();
			return;
		}
		assertThat(this.log.list).singleElement().satisfies((event) -> {
			assertThat(event.getLevel()).isEqualTo(Level.WARN);
			assertThat(event.getFormattedMessage()).contains(warning.split(";")[0])
				.endsWith("resources=[" + warning.split(";")[1] + "]");
		});
	}

	@Test
	void warnsIfNobodyTellsWhetherVersionsHaveAnOrder() {
		check(ReadOptions.DEFAULTS.withStrategy("configmaps", ReadStrategy.VALIDATED), "36",
				CompletableFuture.failedFuture(new IllegalStateException("down")));
		assertThat(this.log.list).singleElement()
			.satisfies((event) -> assertThat(event.getFormattedMessage()).contains("whether versions can be compared")
				.endsWith("resource=configmaps.v1"));
	}

	private static void check(ReadOptions options, String version) {
		check(options, "36", CompletableFuture.completedFuture(version));
	}

	private static void check(ReadOptions options, @Nullable String minor, CompletableFuture<String> version) {
		CompletableFuture<Map<?, ?>> server = (minor != null)
				? CompletableFuture.completedFuture(Map.of("major", "1", "minor", minor))
				: CompletableFuture.failedFuture(new IllegalStateException("down"));
		new ReadSafeguard(options, () -> server, (type) -> version).check(TYPES);
	}

}
