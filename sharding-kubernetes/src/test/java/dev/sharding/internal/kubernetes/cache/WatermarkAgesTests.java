package dev.sharding.internal.kubernetes.cache;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.check.InformerKey;
import dev.sharding.internal.kubernetes.cache.check.ListedView;
import dev.sharding.internal.kubernetes.informer.InformerSpec;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.resource.ResourceType;

import static org.assertj.core.api.Assertions.assertThat;

class WatermarkAgesTests {

	private static final InformerKey KEY = new InformerKey(ResourceType.of(ConfigMap.class), true);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final AtomicLong nanos = new AtomicLong(7);

	private StoreView<ConfigMap> store = view("0");

	/* Between what somebody sees of the store and what becomes of it. */
	private Runnable meanwhile = () -> {
	};

	private final WatermarkAges ages = new WatermarkAges(this.meters, "a", this.nanos::get);

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

	@Test
	void startsWhenItIsTold() {
		look("5");
		this.ages.moved(KEY, view("6"));
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
		this.ages.moved(KEY, view("6"));
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
		this.store = view("6");
		assertThat(age()).isEqualTo(40);
	}

	@Test
	void doesNotBeginAnewForWhoeverLooksMeanwhile() {
		look("5");
		this.meanwhile = () -> {
			this.store = view("6");
			this.ages.moved(KEY, this.store);
		};
		age();
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(40));
		assertThat(age()).isEqualTo(40);
	}

	@Test
	void keepsTheLatestOfTwoMoves() {
		look("5");
		this.store = view("6");
		this.meanwhile = () -> {
			this.store = view("7");
			this.ages.moved(KEY, this.store);
		};
		age();
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(40));
		assertThat(age()).isEqualTo(40);
	}

	@Test
	void tellsTwoRingsApart() {
		look("5");
		this.nanos.addAndGet(TimeUnit.SECONDS.toNanos(40));
		new WatermarkAges(this.meters, "b", this.nanos::get).bind(Map.of(KEY, view("1")));
		assertThat(this.meters.get("sharding.cache.watermark.age").gauges())
			.extracting((gauge) -> gauge.getId().getTag("ring") + " " + gauge.value())
			.containsExactlyInAnyOrder("a 40.0", "b 0.0");
	}

	private void look(String version) {
		this.store = view(version);
		StoreView<?> current = (StoreView<?>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { StoreView.class }, (proxy, method, arguments) -> {
					Object seen = method.invoke(this.store, arguments);
					Runnable next = this.meanwhile;
					this.meanwhile = () -> {
					};
					next.run();
					return seen;
				});
		this.ages.bind(Map.of(KEY, current));
	}

	private static ListedView<ConfigMap> view(String version) {
		return new ListedView<>(List.of(), List.of(), version, InformerSpec.of(ResourceType.of(ConfigMap.class)));
	}

	private double age() {
		return this.meters.get("sharding.cache.watermark.age").tag("resource", KEY.toString()).gauge().value();
	}

}
