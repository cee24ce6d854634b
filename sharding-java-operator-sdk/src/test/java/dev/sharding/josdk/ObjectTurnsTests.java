package dev.sharding.josdk;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectTurnsTests {

	private static final ObjectTurns.Id ID = id("a");

	private final ObjectTurns turns = new ObjectTurns();

	@Test
	void letsGoAtOnceOfWhatNobodyWorksOn() {
		assertThat(this.turns.want(ID)).isTrue();
		assertThat(this.turns.begin(ID)).isFalse();
		assertThat(this.turns.begin(id("b"))).isTrue();
		assertThat(this.turns.letGoEnded(ID)).isFalse();
		assertThat(this.turns.begin(ID)).isTrue();
	}

	@Test
	void letsGoWhenTheLastWorkHasEnded() {
		assertThat(this.turns.begin(ID)).isTrue();
		assertThat(this.turns.begin(ID)).isTrue();
		assertThat(this.turns.want(ID)).isFalse();
		assertThat(this.turns.end(ID)).isFalse();
		assertThat(this.turns.end(ID)).isTrue();
		assertThat(this.turns.begin(ID)).isFalse();
		assertThat(this.turns.letGoEnded(ID)).isFalse();
	}

	@Test
	void letsGoOnceAtATimeAndAgainWhenAskedMeanwhile() {
		assertThat(this.turns.want(ID)).isTrue();
		assertThat(this.turns.want(ID)).isFalse();
		assertThat(this.turns.letGoEnded(ID)).isTrue();
		assertThat(this.turns.letGoEnded(ID)).isFalse();
	}

	@Test
	void hasNothingToLetGoOfWhenNobodyAsked() {
		assertThat(this.turns.begin(ID)).isTrue();
		assertThat(this.turns.end(ID)).isFalse();
	}

	@Test
	void isIdleWhenNobodyWorksOnAnyObject() throws InterruptedException {
		assertThat(this.turns.begin(ID)).isTrue();
		assertThat(this.turns.begin(id("b"))).isTrue();
		assertThat(this.turns.want(ID)).isFalse();
		this.turns.end(id("b"));
		assertThat(this.turns.awaitIdle(Duration.ofMillis(1))).isFalse();
		CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(() -> this.turns.end(ID));
		assertThat(this.turns.awaitIdle(Duration.ofMinutes(1))).isTrue();
		assertThat(end.join()).isTrue();
	}

	private static ObjectTurns.Id id(String name) {
		return new ObjectTurns.Id(new GroupResource("", "secrets"), new ObjectKey("default", name));
	}

}
