package dev.sharding.sharder.assignment;

import java.time.Duration;

import dev.sharding.core.key.ShardingKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DrainWindowTests {

	private static final long START = Duration.ofHours(-1).toNanos();

	private final DrainWindow window = new DrainWindow();

	private int next;

	private long now = START;

	@Test
	void closesWhenManyAreOnTheWay() {
		assertThat(fill()).isEqualTo(64);
	}

	@Test
	void countsObjectsUntilTheyHaveAnOwner() {
		fill();
		this.window.letGo(key(0), this.now);
		assertThat(this.window.isOpen(this.now)).isFalse();
		this.window.owned(key(0), this.now);
		assertThat(this.window.isOpen(this.now)).isTrue();
	}

	@Test
	void doesNotWaitLongForWhoNeverAcknowledges() {
		fill();
		this.now += Duration.ofSeconds(3).toNanos();
		assertThat(this.window.isOpen(this.now)).isTrue();
		assertThat(fill()).isEqualTo(64);
	}

	@Test
	void growsWhileObjectsGetTheirOwnerSoon() {
		handOver(64, Duration.ofMillis(50));
		assertThat(fill()).isEqualTo(128);
	}

	@Test
	void shrinksWhileTheyWaitLong() {
		handOver(10, Duration.ofSeconds(1));
		assertThat(fill()).isEqualTo(44);
		this.window.forget(key(this.next - 1));
		handOver(100, Duration.ofSeconds(1));
		assertThat(this.window.isOpen(this.now + Duration.ofSeconds(5).toNanos())).isTrue();
	}

	@Test
	void staysClosedWhileAnObjectWaitsLateUnlessItIsStuck() {
		this.window.sent(key(0), this.now);
		this.window.letGo(key(0), this.now);
		assertThat(this.window.isOpen(this.now + Duration.ofMillis(400).toNanos())).isTrue();
		assertThat(this.window.isOpen(this.now + Duration.ofMillis(600).toNanos())).isFalse();
		assertThat(this.window.isOpen(this.now + Duration.ofSeconds(11).toNanos())).isTrue();
		this.window.owned(key(0), this.now + Duration.ofMillis(700).toNanos());
		assertThat(this.window.isOpen(this.now + Duration.ofMillis(800).toNanos())).isTrue();
	}

	@Test
	void isNotChangedByObjectsThatNobodyLetGoOf() {
		fill();
		this.window.owned(new ShardingKey("", "Secret", "default", "other"), this.now);
		assertThat(this.window.isOpen(this.now)).isFalse();
	}

	private int fill() {
		int sent = 0;
		while (this.window.isOpen(this.now)) {
			this.window.sent(key(this.next++), this.now);
			sent++;
		}
		return sent;
	}

	private void handOver(int count, Duration gap) {
		for (int i = 0; i < count; i++) {
			ShardingKey key = key(this.next++);
			this.window.sent(key, this.now);
			this.window.letGo(key, this.now);
			this.now += gap.toNanos();
			this.window.owned(key, this.now);
		}
	}

	private static ShardingKey key(int number) {
		return new ShardingKey("", "Secret", "default", "s-" + number);
	}

}
