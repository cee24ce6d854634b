package dev.sharding.autoconfigure;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Finds out where meters go.
 */
final class Meters {

	private Meters() {
	}

	/**
	 * The registry of the application, or all of them where none is the primary one.
	 * @param registries the beans
	 * @return a registry, empty if there is none
	 */
	static MeterRegistry of(ObjectProvider<MeterRegistry> registries) {
		return registries
			.getIfUnique(() -> new CompositeMeterRegistry(Clock.SYSTEM, registries.orderedStream().toList()));
	}

}
