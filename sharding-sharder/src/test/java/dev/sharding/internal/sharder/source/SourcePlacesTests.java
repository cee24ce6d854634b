package dev.sharding.internal.sharder.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

class SourcePlacesTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private long budget = 1000;

	private final SourcePlaces places = new SourcePlaces(() -> this.budget);

	private long now;

	@Test
	void asManyAsFit() {
		assertThat(ask("a")).isTrue();
		// Nobody knows yet how large an index is.
		assertThat(ask("b")).isFalse();
		this.places.size("a", 300, true);
		assertThat(ask("b")).isTrue();
		assertThat(ask("c")).isTrue();
		assertThat(ask("d")).isFalse();
		this.places.size("b", 200, true);
		this.places.size("c", 150, true);
		assertThat(ask("d")).isTrue();
	}

	@Test
	void oneInAnyCase() {
		assertThat(ask("a")).isTrue();
		this.places.size("a", 5000, true);
		assertThat(this.places.takeBack(this.now)).isEmpty();
		assertThat(ask("a")).isTrue();
		assertThat(ask("b")).isFalse();
		// What has left makes room.
		this.places.size("a", 100, true);
		assertThat(ask("b")).isFalse();
		leave("a");
		assertThat(ask("b")).isTrue();
	}

	@Test
	void theYoungestLeavesWhenItIsLargerThanTheOthersWere() {
		ask("a");
		this.places.size("a", 300, true);
		ask("b");
		this.places.size("b", 900, false);
		assertThat(this.places.takeBack(this.now)).containsExactly("b");
		assertThat(ask("b")).isFalse();
		leave("a");
		assertThat(ask("b")).isTrue();
	}

	@Test
	void allButTheOldestLeaveWhereMemoryIsShort() {
		List.of("a", "b", "c").forEach((shard) -> {
			assertThat(ask(shard)).isTrue();
			this.places.size(shard, 200, true);
		});
		this.budget = 100;
		assertThat(this.places.takeBack(this.now)).containsExactly("c", "b");
		assertThat(ask("b")).isFalse();
		this.budget = 1000;
		assertThat(ask("b")).isTrue();
	}

	@Test
	void whoDoesNotAnswerYieldsToWhoWaits() {
		ask("a");
		this.places.size("a", 900, true);
		this.places.asked("a", this.now);
		for (int second = 0; second < 5; second++) {
			this.now += SECOND;
			ask("a");
			ask("b");
			assertThat(this.places.takeBack(this.now)).isEmpty();
		}
		this.now += SECOND;
		ask("a");
		ask("b");
		assertThat(this.places.takeBack(this.now)).containsExactly("a");
		// Who has had its turn is behind those that have not.
		assertThat(ask("a")).isFalse();
		assertThat(ask("b")).isTrue();
	}

	@Test
	void whoDoesNotAnswerStaysWhereNobodyWaits() {
		ask("a");
		this.places.size("a", 900, true);
		this.places.asked("a", this.now);
		this.now += 9 * SECOND;
		assertThat(this.places.takeBack(this.now)).isEmpty();
	}

	@Test
	void whoAnswersStays() {
		ask("a");
		this.places.size("a", 900, true);
		for (int second = 0; second < 20; second++) {
			this.now += SECOND;
			this.places.asked("a", this.now);
			ask("a");
			ask("b");
			this.places.answered("a");
			assertThat(this.places.takeBack(this.now)).isEmpty();
		}
	}

	@Test
	void whoWaitsForLongIsLate() {
		ask("a");
		this.places.size("a", 900, true);
		for (int second = 0; second < 6; second++) {
			assertThat(ask("b")).isFalse();
			assertThat(this.places.isLate("b", this.now)).isFalse();
			this.now += SECOND;
		}
		assertThat(this.places.isLate("b", this.now)).isTrue();
		assertThat(this.places.isLate("a", this.now)).isFalse();
		leave("a");
		assertThat(ask("b")).isTrue();
		assertThat(this.places.isLate("b", this.now)).isFalse();
	}

	@Test
	void nobodyIsLateWhileTheFirstIndexFills() {
		ask("a");
		for (int second = 0; second < 20; second++) {
			this.now += SECOND;
			ask("a");
			ask("b");
			this.places.size("a", 10 * second, false);
			assertThat(this.places.isLate("b", this.now)).isFalse();
		}
		this.places.size("a", 900, true);
		assertThat(ask("b")).isFalse();
		assertThat(this.places.isLate("b", this.now)).isTrue();
	}

	@Test
	void nobodyWaitsBehindWhoDoesNotWaitAnyMore() {
		ask("a");
		this.places.size("a", 900, true);
		ask("b");
		this.now += 2 * SECOND;
		ask("c");
		leave("a");
		assertThat(ask("c")).isTrue();
	}

	@Test
	@DisplayName("Two hundred thousand shards wait and ask again: none of them looks at all others")
	void asManyWaitAsLike() {
		ask("a");
		this.places.size("a", 900, true);
		assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
			for (int pass = 0; pass < 3; pass++) {
				for (int shard = 0; shard < 200_000; shard++) {
					assertThat(ask("shard-" + shard)).isFalse();
				}
				this.now += SECOND / 4;
				ask("a");
			}
		});
		assertThat(this.places.isNext("shard-0", this.now)).isTrue();
		assertThat(this.places.isNext("shard-1", this.now)).isFalse();
	}

	@Property(tries = 300)
	void isBoundedAndServesEverybody(@ForAll @IntRange(min = 1, max = 30) int shards,
			@ForAll @Size(30) List<@IntRange(min = 1, max = 600) Integer> sizes) {
		SourcePlaces law = new SourcePlaces(() -> 1000);
		Set<String> served = new HashSet<>();
		Map<String, Integer> filled = new HashMap<>();
		long time = 0;
		for (int round = 0; round < 20 * shards && served.size() < shards; round++) {
			time += SECOND / 5;
			for (int shard = 0; shard < shards; shard++) {
				String name = "shard-" + shard;
				// Who has been served needs nothing more.
				if (!served.contains(name) && law.ask(name, time)) {
					int bytes = filled.merge(name, 200, Integer::sum);
					law.size(name, Math.min(bytes, sizes.get(shard)), bytes >= sizes.get(shard));
					if (bytes >= sizes.get(shard)) {
						served.add(name);
						law.size(name, 0, true);
					}
				}
			}
			law.takeBack(time).forEach(filled::remove);
			assertThat(law.bytes()).isLessThanOrEqualTo(1000);
		}
		assertThat(served).hasSize(shards);
	}

	private boolean ask(String shard) {
		return this.places.ask(shard, this.now);
	}

	private void leave(String shard) {
		this.places.size(shard, 1, true);
		for (int second = 0; second < 11; second++) {
			this.now += SECOND;
			if (this.places.takeBack(this.now).contains(shard)) {
				return;
			}
		}
		throw new AssertionError(shard + " stays");
	}

}
