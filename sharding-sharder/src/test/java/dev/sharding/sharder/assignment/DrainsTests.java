package dev.sharding.sharder.assignment;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.sharding.core.key.ShardingKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

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
	void takesNoNoteOfTheEndOfAnUnknownDrain() {
		this.drains.ended(KEY);
		assertThat(this.drains.owner(KEY)).isNull();
	}

}
