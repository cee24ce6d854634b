package dev.sharding.internal.kubernetes.cache.read;

import org.junit.jupiter.api.Test;

import dev.sharding.internal.kubernetes.cache.OverlayWorld;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.InForce;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies.Origin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which strategy is in force, and by whose decision.
 */
class ReadStrategiesTests {

	private static final String RESOURCE = "configmaps";

	@Test
	void saysWhoDecided() {
		assertThat(inForce(cached(ReadOptions.DEFAULTS)))
			.isEqualTo(new InForce(ReadStrategy.VALIDATED, Origin.DEFAULT));
		assertThat(inForce(cached(ReadOptions.DEFAULTS.withEnabled(false))))
			.isEqualTo(new InForce(ReadStrategy.LIVE, Origin.CONSISTENT_READS));
		ReadStrategies named = cached(ReadOptions.DEFAULTS.withStrategy(RESOURCE, ReadStrategy.BARRIER));
		assertThat(inForce(named)).isEqualTo(new InForce(ReadStrategy.BARRIER, Origin.RESOURCE));
		named.override(RESOURCE, ReadStrategy.LIVE);
		assertThat(inForce(named)).isEqualTo(new InForce(ReadStrategy.LIVE, Origin.OVERRIDE));
		named.reset(RESOURCE);
		assertThat(inForce(named)).isEqualTo(new InForce(ReadStrategy.BARRIER, Origin.RESOURCE));
	}

	@Test
	void anOverrideCannotMakeMemoryAnswerWhereVersionsHaveNoOrder() {
		ReadStrategies strategies = new ReadStrategies(ReadOptions.DEFAULTS);
		strategies.add(OverlayWorld.CONFIG_MAPS, () -> "no-order");
		strategies.override(RESOURCE, ReadStrategy.VALIDATED);
		assertThat(inForce(strategies)).isEqualTo(new InForce(ReadStrategy.LIVE, Origin.VERSIONS));
	}

	@Test
	void refusesBarriersForWhatIsReconciled() {
		ReadStrategies strategies = cached(ReadOptions.DEFAULTS);
		strategies.requireNoMarker(OverlayWorld.CONFIG_MAPS);
		assertThatExceptionOfType(BarrierNotPossibleException.class)
			.isThrownBy(() -> strategies.override(RESOURCE, ReadStrategy.BARRIER));
		assertThat(inForce(strategies).origin()).isEqualTo(Origin.DEFAULT);
		ReadStrategies overridden = cached(ReadOptions.DEFAULTS);
		overridden.override(RESOURCE, ReadStrategy.BARRIER);
		assertThatExceptionOfType(BarrierNotPossibleException.class)
			.isThrownBy(() -> overridden.requireNoMarker(OverlayWorld.CONFIG_MAPS));
	}

	@Test
	void refusesWhatIsNotCached() {
		ReadStrategies strategies = cached(ReadOptions.DEFAULTS);
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> strategies.override("configmap", ReadStrategy.LIVE))
			.withMessage("No cache of 'configmap' (there are [configmaps])");
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> strategies.reset("pods"));
	}

	private static ReadStrategies cached(ReadOptions options) {
		ReadStrategies strategies = new ReadStrategies(options);
		strategies.add(OverlayWorld.CONFIG_MAPS, () -> "7");
		return strategies;
	}

	private static InForce inForce(ReadStrategies strategies) {
		return strategies.inForce().get(RESOURCE);
	}

}
