package dev.sharding.internal.core;

import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.sharding.internal.core.bad.BadSamples;
import dev.sharding.protocol.RootThatUsesRoom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

class CoreArchitectureTests {

	private static final JavaClasses CORE = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(CoreRules.PACKAGES);

	static final ArchRule[] RULES = { CoreRules.ONLY_VALUES, CoreRules.NO_THREADS, CoreRules.NO_CLOCK,
			CoreRules.NO_CHANCE, CoreRules.ROOT_BELOW_ROOMS, CoreRules.noCyclesBelow("dev.sharding.internal.core") };

	@ParameterizedTest
	@FieldSource("RULES")
	void coreObeys(ArchRule rule) {
		assertThat(CORE).hasSizeGreaterThan(20);
		rule.check(CORE);
	}

	@ParameterizedTest
	@MethodSource("badSamples")
	void ruleBites(ArchRule rule, Class<?> sample) {
		assertThat(rule.evaluate(new ClassFileImporter().importClasses(sample)).hasViolation()).isTrue();
	}

	@Test
	void ruleAgainstCyclesBites() {
		JavaClasses samples = new ClassFileImporter().importPackages("dev.sharding.internal.core.bad");
		assertThat(CoreRules.noCyclesBelow("dev.sharding.internal.core.bad").evaluate(samples).hasViolation()).isTrue();
	}

	static Stream<Arguments> badSamples() {
		return Stream.of(argumentSet("file", CoreRules.ONLY_VALUES, BadSamples.ReadsFile.class),
				argumentSet("socket", CoreRules.ONLY_VALUES, BadSamples.OpensSocket.class),
				argumentSet("lock", CoreRules.ONLY_VALUES, BadSamples.TakesLock.class),
				argumentSet("logger", CoreRules.ONLY_VALUES, BadSamples.Logs.class),
				argumentSet("framework", CoreRules.ONLY_VALUES, BadSamples.UsesFramework.class),
				argumentSet("thread", CoreRules.NO_THREADS, BadSamples.StartsThread.class),
				argumentSet("thread local", CoreRules.NO_THREADS, BadSamples.KeepsThreadLocal.class),
				argumentSet("wall clock", CoreRules.NO_CLOCK, BadSamples.ReadsWallClock.class),
				argumentSet("date", CoreRules.NO_CLOCK, BadSamples.ReadsDate.class),
				argumentSet("monotonic clock", CoreRules.NO_CLOCK, BadSamples.ReadsMonotonicClock.class),
				argumentSet("clock as a field", CoreRules.NO_CLOCK, BadSamples.KeepsClock.class),
				argumentSet("environment", CoreRules.NO_CLOCK, BadSamples.ReadsEnvironment.class),
				argumentSet("random number", CoreRules.NO_CHANCE, BadSamples.DrawsNumber.class),
				argumentSet("random id", CoreRules.NO_CHANCE, BadSamples.DrawsId.class),
				argumentSet("root uses a room", CoreRules.ROOT_BELOW_ROOMS, RootThatUsesRoom.class));
	}

}
