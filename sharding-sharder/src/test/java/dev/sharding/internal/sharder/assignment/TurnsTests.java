package dev.sharding.internal.sharder.assignment;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TurnsTests {

	private final List<Integer> begun = new ArrayList<>();

	private final List<CompletableFuture<?>> turns = IntStream.range(0, 100)
		.<CompletableFuture<?>>mapToObj((number) -> new CompletableFuture<>())
		.toList();

	private final Turns few = new Turns(8, Runnable::run);

	@Test
	@DisplayName("Of a hundred shards that are lost at a time eight are listed, then the next ones")
	void lastsForAFewAtATime() {
		take(100);
		assertThat(this.begun).hasSize(8);
		for (int i = 0; i < 100; i++) {
			assertThat(this.begun).hasSize(Math.min(100, 8 + i));
			this.turns.get(i).complete(null);
		}
		assertThat(this.begun).isEqualTo(IntStream.range(0, 100).boxed().toList());
	}

	@Test
	void beginsAtOnceWhereFewAsk() {
		take(8);
		assertThat(this.begun).hasSize(8);
	}

	@Test
	void endsHoweverItEnds() {
		take(9);
		this.turns.get(3).completeExceptionally(new IllegalStateException("failed"));
		assertThat(this.begun).hasSize(9);
	}

	private void take(int count) {
		for (int i = 0; i < count; i++) {
			int number = i;
			this.few.take(() -> {
				this.begun.add(number);
				return this.turns.get(number);
			});
		}
	}

}
