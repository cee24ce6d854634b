package dev.sharding.kubernetes.cache;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import dev.sharding.kubernetes.informer.InformerSpec;
import dev.sharding.kubernetes.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class WatermarkAgesTests {

	private static final InformerKey KEY = new InformerKey(ResourceType.of(ConfigMap.class), true);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final AtomicLong nanos = new AtomicLong(7);

	private final WatermarkAges ages = new WatermarkAges(this.meters, this.nanos::get);

	@Test
	void growsUntilTheWatermarkMoves() {
		look("5");
		assertThat(age()).isZero();
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(90));
		look("5");
		assertThat(age()).isEqualTo(90);
		look("6");
		assertThat(age()).isZero();
	}

	private void look(String version) {
		this.ages.tick(Map.of(KEY, new ListedView<ConfigMap>(List.of(), List.of(), version,
				InformerSpec.of(ResourceType.of(ConfigMap.class)))));
	}

	private double age() {
		return this.meters.get("sharding.cache.watermark.age").tag("resource", KEY.toString()).gauge().value();
	}

}
