package dev.sharding.internal.sharder.assignment.placement;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.internal.core.key.ShardingKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class DrainsTests {

	private static final ShardingKey KEY = new ShardingKey("", "Secret", "default", "a");

	private final AtomicLong nanos = new AtomicLong();

	private final Drains drains = new Drains(this.nanos::get);

	@Test
	void knowsTheOwnerWhileItDrains() {
		this.drains.began(KEY, "shard-a");
		assertThat(this.drains.isLive(KEY)).isTrue();
		assertThat(this.drains.owner(KEY)).isEqualTo("shard-a");
	}

	@Test
	void remembersTheOwnerForAWhileAfterTheEnd() {
		this.drains.began(KEY, "shard-a");
		this.drains.ended(KEY);
		assertThat(this.drains.isLive(KEY)).isFalse();
		this.drains.tidy();
		assertThat(this.drains.owner(KEY)).isEqualTo("shard-a");
		this.nanos.addAndGet(Duration.ofMinutes(3).toNanos());
		this.drains.tidy();
		assertThat(this.drains.owner(KEY)).isNull();
	}

	@Test
	void neverForgetsALiveOneByItself() {
		this.drains.began(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofDays(1).toNanos());
		this.drains.tidy();
		assertThat(this.drains.isLive(KEY)).isTrue();
	}

	@Test
	void forgetsWhoCouldNotBeAskedButNobodyWhoWasSeenToBe() {
		this.drains.asking(KEY, "shard-a");
		this.drains.failed(KEY);
		assertThat(this.drains.owner(KEY)).isNull();
		this.drains.began(KEY, "shard-a");
		this.drains.failed(KEY);
		assertThat(this.drains.isLive(KEY)).isTrue();
		this.drains.ended(KEY);
		this.drains.failed(KEY);
		assertThat(this.drains.owner(KEY)).isEqualTo("shard-a");
	}

	@Test
	void tellsWhoHasNotLetGoForAWhileAndOfWhatFirst() {
		ShardingKey later = new ShardingKey("", "Secret", "default", "b");
		this.drains.began(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
		this.drains.began(later, "shard-a");
		// Seen again, and still the same drain.
		this.drains.began(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofSeconds(5).toNanos());
		assertThat(this.drains.stuck(Duration.ofSeconds(11))).isEmpty();
		assertThat(this.drains.stuck(Duration.ofSeconds(5)))
			.containsExactly(entry("shard-a", new Drains.Stuck(2, Duration.ofSeconds(10), KEY)));
		this.drains.ended(KEY);
		assertThat(this.drains.stuck(Duration.ofSeconds(5)).get("shard-a").example()).isEqualTo(later);
	}

	@Test
	void nobodyIsStuckWhoNeverHeardThatItWasAsked() {
		this.drains.asking(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		assertThat(this.drains.isLive(KEY)).isTrue();
		assertThat(this.drains.stuck(Duration.ofSeconds(5))).isEmpty();
		// The label is there after all.
		this.drains.began(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofSeconds(6).toNanos());
		assertThat(this.drains.stuck(Duration.ofSeconds(5))).containsKey("shard-a");
	}

	@Test
	void patienceBeginsWithTheLabel() {
		this.drains.asking(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		this.drains.asking(KEY, "shard-a");
		this.drains.began(KEY, "shard-a");
		assertThat(this.drains.stuck(Duration.ofSeconds(5))).isEmpty();
	}

	@Test
	void forgetsWhatWasAskedForAndNeverCameToBe() {
		this.drains.asking(KEY, "shard-a");
		this.nanos.addAndGet(Duration.ofMinutes(3).toNanos());
		this.drains.tidy();
		assertThat(this.drains.owner(KEY)).isNull();
	}

	@Test
	void takesNoNoteOfTheEndOfAnUnknownDrain() {
		this.drains.ended(KEY);
		assertThat(this.drains.owner(KEY)).isNull();
	}

}
