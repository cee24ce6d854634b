package dev.sharding.controller;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class EventFilterTests {

	private final EventFilter<ConfigMap> generation = EventFilter.generationChanged();

	@Test
	void theGenerationFilterRefusesWhatKeptItsGeneration() {
		assertThat(this.generation.accepts(object(1L), object(1L))).isFalse();
		assertThat(this.generation.accepts(object(1L), object(2L))).isTrue();
	}

	@Test
	void theGenerationFilterAcceptsResourcesWithoutAGeneration() {
		assertThat(this.generation.accepts(object(null), object(null))).isTrue();
	}

	@Test
	void theGenerationFilterAcceptsTheBeginningOfADeletion() {
		ConfigMap deleting = object(1L);
		deleting.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
		assertThat(this.generation.accepts(object(1L), deleting)).isTrue();
		assertThat(this.generation.accepts(deleting, deleting)).isFalse();
	}

	@Test
	void combinedFiltersMustAllAccept() {
		EventFilter<ConfigMap> named = (before, after) -> "a".equals(after.getMetadata().getName());
		assertThat(EventFilter.<ConfigMap>all().and(named).accepts(object(1L), object(1L))).isTrue();
		assertThat(named.and(this.generation).accepts(object(1L), object(1L))).isFalse();
	}

	private static ConfigMap object(Long generation) {
		return new ConfigMapBuilder().withNewMetadata().withName("a").withGeneration(generation).endMetadata().build();
	}

}
