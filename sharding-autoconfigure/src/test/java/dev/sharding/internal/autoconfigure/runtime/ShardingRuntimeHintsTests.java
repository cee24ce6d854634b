package dev.sharding.internal.autoconfigure.runtime;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.boot.test.context.FilteredClassLoader;

import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.internal.sharder.ring.ControllerRingSpec;
import dev.sharding.internal.sharder.ring.ControllerRingStatus;

import static org.assertj.core.api.Assertions.assertThat;

class ShardingRuntimeHintsTests {

	@Test
	void keepsWhatEveryShardReadsAndWrites() {
		RuntimeHints hints = hints(getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.reflection().onType(Lease.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(ObjectMeta.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.resource()
			.forResource("dev/sharding/internal/sharder/ring/controllerrings.yaml")).accepts(hints);
	}

	@Test
	void keepsWhatASharderInTheApplicationReadsAndWrites() {
		RuntimeHints hints = hints(getClass().getClassLoader());
		for (Class<?> type : new Class<?>[] { ControllerRing.class, ControllerRingSpec.class,
				ControllerRingStatus.class }) {
			assertThat(RuntimeHintsPredicates.reflection()
				.onType(type)
				.withMemberCategories(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).as(type.getName()).accepts(hints);
		}
		for (String getter : new String[] { "resources", "namespaceSelector" }) {
			assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(ControllerRingSpec.class, getter))
				.as(getter)
				.accepts(hints);
		}
		assertThat(
				RuntimeHintsPredicates.reflection().onMethodInvocation(ControllerRingStatus.class, "availableShards"))
			.accepts(hints);
	}

	@Test
	void needsNoSharder() {
		RuntimeHints hints = hints(new FilteredClassLoader("dev.sharding.internal.sharder"));
		assertThat(RuntimeHintsPredicates.reflection().onType(Lease.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(ControllerRing.class)).rejects(hints);
	}

	private static RuntimeHints hints(ClassLoader classLoader) {
		RuntimeHints hints = new RuntimeHints();
		for (RuntimeHintsRegistrar registrar : AotServices.factories().load(RuntimeHintsRegistrar.class)) {
			if (registrar instanceof ShardingRuntimeHints) {
				registrar.registerHints(hints, classLoader);
			}
		}
		return hints;
	}

}
