package dev.sharding.controller;

import java.time.Instant;
import java.util.List;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ConditionsTests {

	private static final Instant FIRST = Instant.parse("2026-01-01T10:00:00.750Z");

	private static final Instant LATER = FIRST.plusSeconds(60);

	private final ConfigMap object = new ConfigMapBuilder().withNewMetadata()
		.withName("a")
		.withGeneration(3L)
		.endMetadata()
		.build();

	private final Condition ready = Conditions.of(this.object, "Ready", true, "Served", "All is well");

	private final List<Condition> present = Conditions.set(null, this.ready, FIRST);

	@Test
	void theFirstOfItsTypeHasItsTransitionNow() {
		assertThat(this.present).singleElement().satisfies((condition) -> {
			assertThat(condition.getLastTransitionTime()).isEqualTo("2026-01-01T10:00:00Z");
			assertThat(condition.getObservedGeneration()).isEqualTo(3);
			assertThat(condition.getStatus()).isEqualTo("True");
		});
	}

	@Test
	void whatIsSetTwiceIsSetOnce() {
		assertThat(Conditions.set(this.present, this.ready, LATER)).isEqualTo(this.present);
	}

	@Test
	void theSameStatusKeepsTheTimeOfItsTransition() {
		this.object.getMetadata().setGeneration(4L);
		Condition again = Conditions.of(this.object, "Ready", true, "ServedAnew", "");
		assertThat(Conditions.set(this.present, again, LATER)).singleElement().satisfies((condition) -> {
			assertThat(condition.getLastTransitionTime()).isEqualTo("2026-01-01T10:00:00Z");
			assertThat(condition.getReason()).isEqualTo("ServedAnew");
			assertThat(condition.getObservedGeneration()).isEqualTo(4);
		});
	}

	@Test
	void anotherStatusIsATransition() {
		Condition broken = new ConditionBuilder(this.ready).withStatus("Unknown").build();
		assertThat(Conditions.set(this.present, broken, LATER)).singleElement()
			.satisfies((condition) -> assertThat(condition.getLastTransitionTime()).isEqualTo("2026-01-01T10:01:00Z"));
	}

	@Test
	void othersStayAsTheyAreWhereTheyAre() {
		Condition synced = Conditions.of(this.object, "Synced", false, "Waiting", "");
		List<Condition> both = Conditions.set(this.present, synced, LATER);
		assertThat(both).extracting(Condition::getType).containsExactly("Ready", "Synced");
		Condition broken = new ConditionBuilder(this.ready).withStatus("False").build();
		List<Condition> changed = Conditions.set(both, broken, LATER);
		assertThat(changed).extracting(Condition::getType).containsExactly("Ready", "Synced");
		assertThat(changed.get(1)).isEqualTo(both.get(1));
		assertThat(Conditions.remove(changed, "Ready")).containsExactly(both.get(1));
	}

	@Test
	void argumentsStayAsTheyAre() {
		List<Condition> unchangeable = List.copyOf(this.present);
		Condition broken = new ConditionBuilder(this.ready).withStatus("False").build();
		Conditions.set(unchangeable, broken, LATER);
		assertThat(unchangeable.get(0).getStatus()).isEqualTo("True");
		assertThat(broken.getLastTransitionTime()).isNull();
	}

	@Test
	void aConditionIsFoundByItsType() {
		assertThat(Conditions.find(this.present, "Ready")).isPresent();
		assertThat(Conditions.isTrue(this.present, "Ready")).isTrue();
		assertThat(Conditions.isTrue(this.present, "Synced")).isFalse();
		assertThat(Conditions.isTrue(null, "Ready")).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "'',True,Fine", "Ready,true,Fine", "Ready,True,''", "Ready,True,not one word", "Ready,,Fine" })
	void whatTheApiServerWouldRefuseIsRefused(String type, String status, String reason) {
		Condition wrong = new ConditionBuilder().withType(type).withStatus(status).withReason(reason).build();
		assertThatIllegalArgumentException().isThrownBy(() -> Conditions.set(this.present, wrong, LATER))
			.withMessageContaining("of");
	}

}
