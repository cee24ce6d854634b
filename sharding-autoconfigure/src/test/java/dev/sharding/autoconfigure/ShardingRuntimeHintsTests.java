package dev.sharding.autoconfigure;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;

import static org.assertj.core.api.Assertions.assertThat;

class ShardingRuntimeHintsTests {

	@Test
	void keepsWhatEveryShardReadsAndWrites() {
		RuntimeHints hints = new RuntimeHints();
		for (RuntimeHintsRegistrar registrar : AotServices.factories().load(RuntimeHintsRegistrar.class)) {
			if (registrar instanceof ShardingRuntimeHints) {
				registrar.registerHints(hints, getClass().getClassLoader());
			}
		}
		assertThat(RuntimeHintsPredicates.reflection().onType(Lease.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(ObjectMeta.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.resource().forResource("dev/sharding/sharder/ring/controllerrings.yaml"))
			.accepts(hints);
	}

}
